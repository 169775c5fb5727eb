// Checks arguments by the parameters' schemas, and renders these.
#include "tools/steno/operations/operation.hpp"

#include <algorithm>
#include <cctype>

#include "tools/steno/text/units.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// "max_budget_usd" → "maxBudgetUsd".
std::string camel_case(const std::string& name) {
  std::string camel;
  bool is_capital = false;
  for (const char c : name) {
    if (c == '_') {
      is_capital = true;
      continue;
    }
    camel += is_capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_capital = false;
  }
  return camel;
}

// "max_budget_usd" → "MAX-BUDGET-USD".
std::string value_name(const std::string& name) {
  std::string upper;
  for (const char c : name) {
    upper += c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return upper;
}

std::string accepted_text(const Json& schema) {
  if (schema.contains("enum")) {
    std::string names;
    for (const Json& name : schema["enum"]) {
      names += (names.empty() ? "" : ", ") + name.get<std::string>();
    }
    return "one of " + names;
  }
  const std::string type = schema["type"];
  if (type == "boolean") return "true or false";
  if (type == "integer") {
    return "a whole number from " + schema["minimum"].dump() + " to " + schema["maximum"].dump();
  }
  if (type == "number") return "dollars with at most nine decimals, such as 0.50; 0: no limit";
  if (type == "array") return "a list of texts";
  return "a text";
}

std::string names_text(const std::vector<Parameter>& parameters) {
  std::string names;
  for (const Parameter& parameter : parameters) {
    names += (names.empty() ? "" : ", ") + parameter.name;
  }
  return names.empty() ? "none" : names;
}

}  // namespace

std::string shown(std::string_view said) {
  constexpr std::size_t kColumnsMax = 60;
  return workers::cut_to_columns(workers::safe_line(said), kColumnsMax);
}

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool read_value(const Json& value, std::string& into) {
  if (!value.is_string()) return false;
  into = value.get<std::string>();
  return true;
}

bool read_value(const Json& value, bool& into) {
  if (!value.is_boolean()) return false;
  into = value.get<bool>();
  return true;
}

bool read_value(const Json& value, std::int64_t& into) {
  if (!value.is_number_integer()) return false;
  // An unsigned one can be beyond the largest signed one.
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return false;
  }
  into = value.get<std::int64_t>();
  return true;
}

bool read_value(const Json& value, std::optional<base::NanoUsd>& into) {
  if (value.is_string()) {
    into = base::parse_usd(value.get<std::string>());
  } else if (value.is_number()) {
    into = base::parse_usd(value.dump());
  }
  return into.has_value();
}

bool read_value(const Json& value, std::vector<std::string>& into) {
  if (!value.is_array()) return false;
  for (const Json& item : value) {
    if (!item.is_string()) return false;
    into.push_back(item.get<std::string>());
  }
  return true;
}

Json schema_of(const std::string&) {
  return {{"type", "string"}};
}
Json schema_of(const bool&) {
  return {{"type", "boolean"}};
}
Json schema_of(const std::int64_t&) {
  return {{"type", "integer"}, {"minimum", 0}, {"maximum", base::kIntegerLimit - 1}};
}
Json schema_of(const std::optional<base::NanoUsd>&) {
  return {{"type", "number"}, {"minimum", 0}};
}
Json schema_of(const std::vector<std::string>&) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}};
}

tl::unexpected<Failure> fail_value(const Parameter& parameter, const Json& value) {
  const std::string given = shown(json_text(value));
  return fail(kExitUsage,
              parameter.name + " takes " + accepted_text(parameter.schema) + ", not " + given);
}

Outcome<Json> named_arguments(const std::vector<Parameter>& parameters, const Json& arguments) {
  if (!arguments.is_object() && !arguments.is_null()) {
    return fail(kExitUsage, "the parameters are an object by name, such as {\"" +
                                (parameters.empty() ? "name" : parameters.front().name) + "\": …}");
  }
  Json named = Json::object();
  for (const auto& [name, value] : arguments.items()) {
    const auto is_meant = [&name = name](const Parameter& parameter) {
      return name == parameter.name || name == camel_case(parameter.name) ||
             (!parameter.other.empty() && name == parameter.other);
    };
    const auto known = std::find_if(parameters.begin(), parameters.end(), is_meant);
    if (known == parameters.end()) {
      return fail(kExitUsage, "there is no parameter '" + shown(name) +
                                  "'; accepted are: " + names_text(parameters));
    }
    if (named.contains(known->name)) {
      return fail(kExitUsage, known->name + " is said twice");
    }
    if (!value.is_null()) named[known->name] = value;
  }
  for (const Parameter& parameter : parameters) {
    const auto value = named.find(parameter.name);
    const bool is_there = value != named.end();
    if (parameter.is_required && (!is_there || *value == "")) {
      return fail(kExitUsage, parameter.name + " is missing: " + parameter.help);
    }
    if (!is_there || !value->is_number_integer() || !parameter.schema.contains("maximum")) continue;
    if (*value < parameter.schema["minimum"] || *value > parameter.schema["maximum"]) {
      return fail_value(parameter, *value);
    }
  }
  return named;
}

std::string Operation::chat_usage() const {
  std::string usage = "/" + chat;
  for (const Parameter& parameter : parameters) {
    if (parameter.place == ChatPlace::none) continue;
    std::string part = value_name(parameter.name);
    if (parameter.place == ChatPlace::option) {
      part = "--" + parameter.name + (parameter.is_flag() ? "" : " " + part);
    }
    usage += parameter.is_required ? " " + part : " [" + part + "]";
  }
  return usage;
}

Json Operation::schema() const {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Parameter& parameter : parameters) {
    properties[parameter.name] = parameter.schema;
    if (parameter.is_required) required.push_back(parameter.name);
  }
  Json schema = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace steno
