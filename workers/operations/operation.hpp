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

#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "workers/operations/answer_json.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/caller.hpp"
#include "workers/operations/prompt_files.hpp"

namespace workers {

// The answer of an operation: for programs, and for the caller's reader.
struct Answer {
  Json value;        // an object
  std::string text;  // empty if a program reads it
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
  std::string accepted{};   // in words; empty: as the schema says
  bool takes_null = false;  // which is a value of its own, and not the lack of one

  bool is_flag() const { return schema["type"] == "boolean"; }
};

// The surfaces that have an operation, under a name that follows from its own (surface_names.hpp).
struct Surfaces {
  bool tool = true;    // of agents
  bool chat = true;    // after a slash
  bool method = true;  // of JSON-RPC
};

struct Operation {
  std::string name;     // "session.launch"
  std::string summary;  // one sentence without its full stop
  bool changes = false;
  Surfaces surfaces{};
  // The text says all that a model needs. It would read the value in its place, if it got both.
  bool is_told_in_words = false;
  std::vector<Parameter> parameters{};
  // `arguments` is an object by the parameters' names; it and the caller are copied. A refusal with
  // `usage` names the parameter that is wrong and what is accepted.
  std::function<Task<Outcome<Answer>>(const Caller&, const Json& arguments)> run{};

  // Returns the JSON Schema of its arguments.
  Json schema() const;
};

// The readers of one value each. They return false for a value that is not accepted.
bool read_value(const Json& value, std::string& into);
bool read_value(const Json& value, bool& into);
bool read_value(const Json& value, std::int64_t& into);
bool read_value(const Json& value, std::optional<base::NanoUsd>& into);
bool read_value(const Json& value, std::vector<std::string>& into);
bool read_value(const Json& value, std::vector<SaidFile>& into);
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
Json schema_of(const std::vector<SaidFile>&);
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

// Returns the parameter by which a setting of a session is said; its help is that of the setting.
// `is_change`: of a session that has a value already.
Parameter setting_parameter(const domain::SpecSetting& setting, bool is_change = false);
bool read_setting(const domain::SpecSetting& setting, const Json& value, domain::SessionSpec& into);
// Returns the parameter by which a field of a conversation's entry is set, or cleared with null.
Parameter entry_parameter(const domain::EntryField& field);
// Reads a value of such a parameter into one of the two.
bool read_entry(const domain::EntryField& field, const Json& value, domain::EntryFields& set,
                std::vector<std::string>& cleared);
// True if a parameter of the operation has that name, or has it as its second one.
bool has_parameter(const Operation& operation, std::string_view name);

// Returns the arguments by the parameters' own names, or what is wrong with them.
Outcome<Json> named_arguments(const std::vector<Parameter>& parameters, const Json& arguments);
tl::unexpected<Refusal> refuse_value(const Parameter& parameter, const Json& value);

// The parameter for files that go with a prompt.
constexpr std::string_view kFilesParameter = "files";

// The parameter of every operation that changes something.
constexpr std::string_view kKeyParameter = "idempotency_key";
Parameter key_parameter();

// Returns how a request is known when it comes again with its key; none: it has none. A refusal:
// the key is no key.
Outcome<std::optional<RequestIdentity>> identity_of(const Caller& caller,
                                                    const Operation& operation, const Json& named);

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

  // Adds a parameter for each setting of a session that is none yet. A value that is said goes into
  // the spec, and its key into the list.
  Describe& settings(domain::SessionSpec Arguments::*spec,
                     std::vector<std::string> Arguments::*said) {
    for (const domain::SpecSetting& setting : domain::spec_settings()) {
      if (has_parameter(operation_, setting.key)) continue;
      add_setting(setting, spec, said, false);
    }
    return *this;
  }

  // As settings(), of those that a session which lives can take.
  Describe& changes(domain::SessionSpec Arguments::*spec,
                    std::vector<std::string> Arguments::*said) {
    for (const domain::SpecSetting& setting : domain::spec_settings()) {
      if (setting.change == domain::SettingChange::never) continue;
      add_setting(setting, spec, said, true);
    }
    return *this;
  }

  // Adds a parameter for each field of a conversation's entry.
  Describe& entry(domain::EntryFields Arguments::*set,
                  std::vector<std::string> Arguments::*cleared) {
    for (const domain::EntryField& field : domain::entry_fields()) {
      operation_.parameters.push_back(entry_parameter(field));
      readers_.push_back([set, cleared, &field](Arguments& arguments, const Json& value) {
        return read_entry(field, value, arguments.*set, arguments.*cleared);
      });
    }
    return *this;
  }

  // json_of and text_of show the result. Caller and arguments outlive the task of `run`.
  template <class Result>
  Operation runs(Task<Outcome<Result>> (*run)(const Caller&, const Arguments&)) {
    if (operation_.changes) operation_.parameters.push_back(key_parameter());
    operation_.run = [described = operation_, readers = readers_, run](const Caller& caller,
                                                                       const Json& given) {
      Caller asking = caller;
      Arguments arguments;
      const auto is_read = read(described, readers, given, asking, arguments);
      if (!is_read) return refused(is_read.error());
      return answer(run, std::move(asking), std::move(arguments));
    };
    return std::move(operation_);
  }

 private:
  using Reading = std::function<bool(Arguments&, const Json&)>;

  void add_setting(const domain::SpecSetting& setting, domain::SessionSpec Arguments::*spec,
                   std::vector<std::string> Arguments::*said, bool is_change) {
    operation_.parameters.push_back(setting_parameter(setting, is_change));
    readers_.push_back([spec, said, &setting](Arguments& arguments, const Json& value) {
      (arguments.*said).emplace_back(setting.key);
      return read_setting(setting, value, arguments.*spec);
    });
  }

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

  static Outcome<bool> read(const Operation& described, const std::vector<Reading>& readers,
                            const Json& given, Caller& caller, Arguments& arguments) {
    const auto named = named_arguments(described.parameters, given);
    if (!named) return tl::unexpected(named.error());
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const Parameter& parameter = described.parameters[i];
      const auto value = named->find(parameter.name);
      if (value == named->end()) continue;
      if (!readers[i](arguments, *value)) return refuse_value(parameter, *value);
    }
    auto identity = identity_of(caller, described, *named);
    if (!identity) return tl::unexpected(identity.error());
    if (*identity) caller.identity = *identity;
    return true;
  }

  static Task<Outcome<Answer>> refused(Refusal refusal) {
    co_return tl::unexpected(std::move(refusal));
  }

  template <class Result>
  static Task<Outcome<Answer>> answer(Task<Outcome<Result>> (*run)(const Caller&, const Arguments&),
                                      Caller caller, Arguments arguments) {
    const auto result = co_await run(caller, arguments);
    if (!result) co_return tl::unexpected(result.error());
    Answer shown;
    shown.value = json_of(*result);
    if (caller.reader != Reader::program) shown.text = text_of(*result, caller.reader);
    co_return shown;
  }

  Operation operation_;
  std::vector<Reading> readers_;
};

// The operations of a program, in the order in which helps and lists show them.
struct OperationTable {
  std::vector<Operation> rows;
};

}  // namespace workers
