// Checks arguments by the parameters' schemas, and renders these.
#include "workers/operations/operation.hpp"

#include <algorithm>
#include <cctype>

#include "eventlog/base/hash.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/text/setting_text.hpp"

namespace workers {
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

constexpr std::size_t kKeyBytesMax = 200;

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
  if (type == "array" && schema["items"].contains("anyOf")) {
    return "a list of paths, or of objects with name and data, in base64";
  }
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

bool read_value(const Json& value, std::vector<SaidFile>& into) {
  if (!value.is_array()) return false;
  for (const Json& item : value) {
    SaidFile file;
    if (read_value(item, file.path)) {
      if (file.path.empty()) return false;
    } else if (item.is_object()) {
      for (const auto& [name, said] : item.items()) {
        std::string* field = name == "name"         ? &file.name
                             : name == "media_type" ? &file.media_type
                             : name == "data"       ? &file.data
                                                    : nullptr;
        if (field == nullptr || !read_value(said, *field)) return false;
      }
      if (file.name.empty() || file.data.empty()) return false;
    } else {
      return false;
    }
    into.push_back(std::move(file));
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
Json schema_of(const std::vector<SaidFile>&) {
  const Json text = {{"type", "string"}};
  const Json itself = {{"type", "object"},
                       {"properties", {{"name", text}, {"media_type", text}, {"data", text}}},
                       {"required", {"name", "data"}},
                       {"additionalProperties", false}};
  return {{"type", "array"},
          {"items", {{"anyOf", Json::array({text, itself})}}},
          {"maxItems", domain::kPromptFilesMax}};
}

tl::unexpected<Refusal> refuse_value(const Parameter& parameter, const Json& value) {
  const std::string accepted =
      parameter.accepted.empty() ? accepted_text(parameter.schema) : parameter.accepted;
  const std::string given = shown(json_text(value));
  return refuse(OperationError::usage, parameter.name + " takes " + accepted + ", not " + given);
}

Json schema_of(const domain::SpecSetting& setting) {
  return std::visit(
      [&]<class Member>(Member member) -> Json {
        if constexpr (std::same_as<Member, std::int64_t domain::UseLimits::*>) {
          return {{"type", "integer"}, {"minimum", 0}, {"maximum", setting.most}};
        } else {
          const auto value = domain::SessionSpec{}.*member;
          using Value = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::same_as<Value, std::int64_t>) {
            return {{"type", "integer"}, {"minimum", 0}, {"maximum", setting.most}};
          } else if constexpr (std::same_as<Value, base::NanoUsd>) {
            return schema_of(std::optional<base::NanoUsd>());
          } else if constexpr (std::same_as<Value, bool> || std::is_enum_v<Value>) {
            return schema_of(value);
          } else {
            return schema_of(std::string());
          }
        }
      },
      setting.member);
}

Parameter setting_parameter(const domain::SpecSetting& setting, bool is_change) {
  Parameter parameter;
  parameter.name = setting.key;
  parameter.help = std::string(setting.help) +
                   (is_change ? "; unsaid: it stays" : "; default: the setting " + parameter.name);
  parameter.schema = schema_of(setting);
  parameter.accepted = setting.accepted;
  if (parameter.schema["type"] == "string" && !setting.accepted.empty()) {
    parameter.help += " (" + std::string(setting.accepted) + ")";
  }
  parameter.schema["description"] = parameter.help;
  return parameter;
}

bool read_setting(const domain::SpecSetting& setting, const Json& value,
                  domain::SessionSpec& into) {
  if (value.is_string()) return set_setting(setting, value.get<std::string>(), into);
  const bool is_plain = value.is_boolean() || value.is_number();
  return is_plain && set_setting(setting, value.dump(), into);
}

Parameter entry_parameter(const domain::EntryField& field) {
  Parameter parameter;
  parameter.name = field.name;
  parameter.help = std::string(field.help) + "; null clears it";
  parameter.takes_null = true;
  Json& schema = parameter.schema;
  switch (field.kind) {
    case domain::FieldKind::number:
      schema = {{"type", {"integer", "null"}}, {"minimum", 0}, {"maximum", field.most}};
      parameter.accepted = "a whole number from 0 to " + std::to_string(field.most);
      break;
    case domain::FieldKind::flag:
      schema = {{"type", {"boolean", "null"}}};
      parameter.accepted = "true or false";
      break;
    case domain::FieldKind::word:
    case domain::FieldKind::text:
    case domain::FieldKind::labels:
      schema = {{"type", {"string", "null"}}};
      parameter.accepted = "a text";
  }
  schema["description"] = parameter.help;
  return parameter;
}

bool read_entry(const domain::EntryField& field, const Json& value, domain::EntryFields& set,
                std::vector<std::string>& cleared) {
  if (value.is_null()) {
    cleared.emplace_back(field.name);
    return true;
  }
  const bool is_number = field.kind == domain::FieldKind::number;
  const bool is_flag = field.kind == domain::FieldKind::flag;
  const bool fits = is_number ? value.is_number_integer()
                    : is_flag ? value.is_boolean()
                              : value.is_string();
  if (fits)
    set[std::string(field.name)] = value.is_string() ? value.get<std::string>() : value.dump();
  return fits;
}

bool has_parameter(const Operation& operation, std::string_view name) {
  return std::any_of(operation.parameters.begin(), operation.parameters.end(),
                     [&](const Parameter& parameter) {
                       return parameter.name == name || parameter.other == name;
                     });
}

Outcome<Json> named_arguments(const std::vector<Parameter>& parameters, const Json& arguments) {
  if (!arguments.is_object() && !arguments.is_null()) {
    return refuse(OperationError::usage,
                  "the parameters are an object by name, such as {\"" +
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
      return refuse(OperationError::usage, "there is no parameter '" + shown(name) +
                                               "'; accepted are: " + names_text(parameters));
    }
    if (named.contains(known->name)) {
      return refuse(OperationError::usage, known->name + " is said twice");
    }
    if (!value.is_null() || known->takes_null) named[known->name] = value;
  }
  for (const Parameter& parameter : parameters) {
    const auto value = named.find(parameter.name);
    const bool is_there = value != named.end();
    // A prompt can be empty beside files.
    const bool can_be_empty = is_there && named.contains(kFilesParameter);
    if (parameter.is_required && (!is_there || (*value == "" && !can_be_empty))) {
      return refuse(OperationError::usage, parameter.name + " is missing: " + parameter.help);
    }
    if (!is_there || !value->is_number_integer() || !parameter.schema.contains("maximum")) continue;
    if (*value < parameter.schema["minimum"] || *value > parameter.schema["maximum"]) {
      return refuse_value(parameter, *value);
    }
  }
  return named;
}

// The key is for this operation, this agent, and the session that the caller belongs to. What was
// said is read in the order of the parameters, whatever their order in the request.
Outcome<std::optional<RequestIdentity>> identity_of(const Caller& caller,
                                                    const Operation& operation, const Json& named) {
  const auto key = named.find(kKeyParameter);
  if (key == named.end()) return std::nullopt;
  std::string said;
  if (!read_value(*key, said) || said.empty() || said.size() > kKeyBytesMax) {
    return refuse(OperationError::usage, std::string(kKeyParameter) + " takes a text of 1 to " +
                                             std::to_string(kKeyBytesMax) + " bytes, not " +
                                             shown(json_text(*key)));
  }
  base::Blake2bStream id;
  for (const std::string_view part :
       {std::string_view("steno request"), std::string_view(caller.agent),
        std::string_view(caller.self), std::string_view(operation.name), std::string_view(said)}) {
    id.add(part);
  }
  base::Blake2bStream asked;
  for (const Parameter& parameter : operation.parameters) {
    const auto value = named.find(parameter.name);
    if (value == named.end() || parameter.name == kKeyParameter) continue;
    asked.add(parameter.name);
    asked.add(json_text(*value));
  }
  RequestIdentity identity;
  base::view(id.finish()).copy(identity.id.bytes.data(), identity.id.bytes.size());
  base::view(asked.finish()).copy(identity.asked.data(), identity.asked.size());
  // A UUID of version 8 (RFC 9562, section 5.8).
  identity.id.bytes[6] = static_cast<char>((identity.id.bytes[6] & 0x0F) | 0x80);
  identity.id.bytes[8] = static_cast<char>((identity.id.bytes[8] & 0x3F) | 0x80);
  return identity;
}

Parameter key_parameter() {
  Parameter key;
  key.name = kKeyParameter;
  key.help =
      "Makes a repeated request have one effect: the same request with the same key is answered as "
      "the first one was. Without a key each request is a new one";
  key.schema = {{"type", "string"}, {"maxLength", kKeyBytesMax}, {"description", key.help}};
  return key;
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

}  // namespace workers
