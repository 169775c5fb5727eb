// An operation is asked for by its name: from a chat, over JSON-RPC, or as a tool of an agent. It
// has parameters, each bound to a field of its arguments, and a function that runs it. Its checks,
// usage lines and JSON schemas come from this one description.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/steno/connection/connection.hpp"

namespace steno {

using Json = nlohmann::ordered_json;

// Returns the beginning of what a caller said, on one line, for a message about it.
std::string shown(std::string_view said);

// Returns JSON on one line. Texts of agents can hold bytes that are not UTF-8; each becomes U+FFFD.
std::string json_text(const Json& json);

// Whoever asks, and over which connection.
struct Caller {
  Connection& connection;
  std::string channel;      // where the caller reads, such as "telegram|1234"; empty: not known
  bool is_program = false;  // what it launches is held to a Grant
  bool is_chat = false;     // the answer's text must fit one message
};

// Characters of an answer's text: of a message that all chats take, and of a part of a model's
// context that leaves room for its work.
constexpr std::size_t kChatCharactersMax = 3'900;
constexpr std::size_t kTextCharactersMax = 20'000;

// Returns the code points of UTF-8.
std::size_t characters_of(std::string_view text);

// The answer of an operation, for programs and for people.
struct Answer {
  Json value;        // an object
  std::string text;  // lines, without a line feed at the end
  // The text says all that a model needs. It would read the value in its place, if it got both.
  bool is_text_only = false;
};

// Where a parameter stands in a chat command.
enum class ChatPlace {
  none,    // not in a chat
  option,  // --name VALUE, or --name alone for a flag
  word,    // one word
  rest,    // the rest of the line
};

struct Parameter {
  std::string name;   // "max_budget_usd"; programs can also say "maxBudgetUsd"
  std::string other;  // a second name; empty: none
  std::string help;
  Json schema;  // JSON Schema of its value
  bool is_required = false;
  ChatPlace place = ChatPlace::none;

  bool is_flag() const { return schema["type"] == "boolean"; }
};

struct Operation {
  std::string tool;     // as a tool of an agent; empty: it is none
  std::string chat;     // in a chat, after the slash; empty: not there
  std::string method;   // over JSON-RPC; empty: not there
  std::string summary;  // one sentence without its full stop
  bool changes = false;
  std::vector<Parameter> parameters;
  // `arguments` is an object by the parameters' names. A Failure with kExitUsage names the
  // parameter that is wrong and what is accepted.
  std::function<Outcome<Answer>(const Caller&, const Json& arguments)> run;

  // Returns "/claude [--name NAME] PROMPT".
  std::string chat_usage() const;
  // Returns the JSON Schema of its arguments.
  Json schema() const;
};

// The readers of one value each. They return false for a value that is not accepted.
bool read_value(const Json& value, std::string& into);
bool read_value(const Json& value, bool& into);
bool read_value(const Json& value, std::int64_t& into);
bool read_value(const Json& value, std::optional<base::NanoUsd>& into);
bool read_value(const Json& value, std::vector<std::string>& into);
template <class Enum>
requires std::is_enum_v<Enum>
bool read_value(const Json& value, Enum& into) {
  const auto known =
      value.is_string() ? base::parse_enum<Enum>(value.get<std::string>()) : std::optional<Enum>{};
  if (known) into = *known;
  return known.has_value();
}
template <class Enum>
requires std::is_enum_v<Enum>
bool read_value(const Json& value, std::optional<Enum>& into) {
  Enum known{};
  if (!read_value(value, known)) return false;
  into = known;
  return true;
}

// Their schemas.
Json schema_of(const std::string&);
Json schema_of(const bool&);
Json schema_of(const std::int64_t&);
Json schema_of(const std::optional<base::NanoUsd>&);
Json schema_of(const std::vector<std::string>&);
template <class Enum>
requires std::is_enum_v<Enum> Json schema_of(const Enum&) {
  Json names = Json::array();
  for (const std::string_view name : base::EnumNames<Enum>::kNames) names.push_back(name);
  return {{"type", "string"}, {"enum", names}};
}
template <class Enum>
requires std::is_enum_v<Enum> Json schema_of(const std::optional<Enum>&) {
  return schema_of(Enum{});
}

// Returns the arguments by the parameters' own names, or what is wrong with them.
Outcome<Json> named_arguments(const std::vector<Parameter>& parameters, const Json& arguments);
tl::unexpected<Failure> fail_value(const Parameter& parameter, const Json& value);

// Describes an operation whose arguments are the fields of `Arguments`, at their defaults unless
// they are said.
template <class Arguments>
class Describe {
 public:
  explicit Describe(Operation operation) : operation_(std::move(operation)) {}

  template <class Value>
  Describe& need(std::string name, Value Arguments::*field, std::string help,
                 ChatPlace place = ChatPlace::none) {
    return add(std::move(name), field, std::move(help), place, true);
  }
  template <class Value>
  Describe& can(std::string name, Value Arguments::*field, std::string help,
                ChatPlace place = ChatPlace::none) {
    return add(std::move(name), field, std::move(help), place, false);
  }
  // These two change the parameter that was added last.
  Describe& or_as(std::string name) {
    operation_.parameters.back().other = std::move(name);
    return *this;
  }
  Describe& within(std::int64_t least, std::int64_t most) {
    operation_.parameters.back().schema["minimum"] = least;
    operation_.parameters.back().schema["maximum"] = most;
    return *this;
  }

  Operation runs(Outcome<Answer> (*run)(const Caller&, const Arguments&)) {
    operation_.run = [parameters = operation_.parameters, readers = readers_, run](
                         const Caller& caller, const Json& given) -> Outcome<Answer> {
      const auto named = named_arguments(parameters, given);
      if (!named) return tl::unexpected(named.error());
      Arguments arguments;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto value = named->find(parameters[i].name);
        if (value == named->end()) continue;
        if (!readers[i](arguments, *value)) return fail_value(parameters[i], *value);
      }
      return run(caller, arguments);
    };
    return std::move(operation_);
  }

 private:
  template <class Value>
  Describe& add(std::string name, Value Arguments::*field, std::string help, ChatPlace place,
                bool is_required) {
    const Value initial = Arguments{}.*field;
    Json schema = schema_of(initial);
    schema["description"] = help;
    if constexpr (std::is_same_v<Value, std::int64_t>) schema["default"] = initial;
    if constexpr (std::is_enum_v<Value>) schema["default"] = base::enum_name(initial);
    operation_.parameters.push_back(
        {std::move(name), {}, std::move(help), std::move(schema), is_required, place});
    readers_.push_back([field](Arguments& arguments, const Json& value) {
      return read_value(value, arguments.*field);
    });
    return *this;
  }

  Operation operation_;
  std::vector<std::function<bool(Arguments&, const Json&)>> readers_;
};

}  // namespace steno
