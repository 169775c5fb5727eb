// Takes a line apart: the command, its options, its words, and the rest.
#include "workers/operations/chat_line.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "workers/operations/surface_names.hpp"
#include "workers/operations/text_bounds.hpp"

namespace workers {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The same in UTF-8 as keyboards of phones make them: a no-break, a narrow and a wide blank.
constexpr std::string_view kOtherBlanks[] = {"\u00A0", "\u202F", "\u3000"};
// What they make of two hyphens.
constexpr std::string_view kDashes[] = {"--", "\u2014", "\u2013\u2013", "\u2E3A"};
// What they make of a quote.
constexpr std::string_view kQuotes[] = {"\"", "\u201C", "\u201D", "\u201E", "\u201F"};

// Returns the bytes of the one of `all` with which the text begins; 0: with none.
std::size_t begins_with(std::string_view text, std::span<const std::string_view> all) {
  for (const std::string_view one : all) {
    if (text.starts_with(one)) return one.size();
  }
  return 0;
}

std::size_t begins_with_blank(std::string_view text) {
  if (!text.empty() && kBlanks.find(text.front()) != std::string_view::npos) return 1;
  return begins_with(text, kOtherBlanks);
}

void skip_blanks(std::string_view& rest) {
  while (const std::size_t bytes = begins_with_blank(rest)) rest.remove_prefix(bytes);
}

std::string_view take_word(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && begins_with_blank(rest.substr(end)) == 0) ++end;
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  skip_blanks(rest);
  return word;
}

// Takes a word, or what stands between double quotes. No value: the second quote is missing.
std::optional<std::string_view> take_value(std::string_view& rest) {
  const std::size_t first = begins_with(rest, kQuotes);
  if (first == 0) return take_word(rest);
  for (std::size_t end = first; end < rest.size(); ++end) {
    const std::size_t second = begins_with(rest.substr(end), kQuotes);
    if (second == 0) continue;
    const std::string_view value = rest.substr(first, end - first);
    rest.remove_prefix(end + second);
    skip_blanks(rest);
    return value;
  }
  return std::nullopt;
}

tl::unexpected<Refusal> refuse_usage(const Operation& operation, const std::string& what) {
  return refuse(OperationError::usage, what + "; usage: " + chat_usage(operation));
}

tl::unexpected<Refusal> refuse_unknown(const OperationTable& table, std::string_view command) {
  std::string known;
  for (const Operation& operation : table.rows) {
    if (operation.surfaces.chat) known += (known.empty() ? "" : "; ") + chat_usage(operation);
  }
  return refuse(OperationError::usage,
                "'" + shown(command) + "' is no command; there are " + known);
}

// "max_budget_usd" → "MAX-BUDGET-USD".
std::string value_name(const std::string& name) {
  std::string upper;
  for (const char c : name) {
    upper += c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return upper;
}

// Takes the options off the front.
Outcome<bool> take_options(const Operation& operation, std::string_view& rest, Json& arguments) {
  while (const std::size_t dash = begins_with(rest, kDashes)) {
    const std::string_view word = take_word(rest);
    if (word.size() == dash) return true;
    const auto& all = operation.parameters;
    const auto option = std::find_if(all.begin(), all.end(), [&](const Parameter& parameter) {
      return parameter.place == ChatPlace::option && word.substr(dash) == parameter.name;
    });
    if (option == all.end()) {
      return refuse_usage(operation, "there is no option " + shown(word) +
                                         " (-- comes before a text that begins so)");
    }
    if (arguments.contains(option->name)) {
      return refuse_usage(operation, shown(word) + " is said twice");
    }
    if (option->is_flag()) {
      arguments[option->name] = true;
      continue;
    }
    const auto value = take_value(rest);
    if (!value)
      return refuse_usage(operation, "the second quote of " + shown(word) + " is missing");
    if (value->empty()) return refuse_usage(operation, shown(word) + " lacks its value");
    arguments[option->name] = *value;
  }
  return true;
}

}  // namespace

std::string chat_usage(const Operation& operation) {
  std::string usage = "/" + chat_name(operation);
  for (const Parameter& parameter : operation.parameters) {
    if (parameter.place == ChatPlace::none) continue;
    std::string part = value_name(parameter.name);
    if (parameter.place == ChatPlace::option) {
      part = "--" + parameter.name + (parameter.is_flag() ? "" : " " + part);
    }
    usage += parameter.is_required ? " " + part : " [" + part + "]";
  }
  return usage;
}

Outcome<ChatCall> parse_chat(const OperationTable& table, std::string_view line) {
  std::string_view rest = line;
  skip_blanks(rest);
  const std::string_view command = take_word(rest);
  const std::string_view name = command.substr(0, command.find('@'));
  ChatCall call;
  if (name.starts_with('/')) call.operation = find_chat(table, name.substr(1));
  if (call.operation == nullptr) return refuse_unknown(table, command);
  call.arguments = Json::object();
  if (const auto ok = take_options(*call.operation, rest, call.arguments); !ok) {
    return tl::unexpected(ok.error());
  }
  while (!rest.empty() && kBlanks.find(rest.back()) != std::string_view::npos) {
    rest.remove_suffix(1);
  }
  for (const Parameter& parameter : call.operation->parameters) {
    if (rest.empty()) {
      const bool is_missing = parameter.is_required && !call.arguments.contains(parameter.name);
      if (is_missing) return refuse_usage(*call.operation, parameter.name + " is missing");
    } else if (parameter.place == ChatPlace::rest) {
      call.arguments[parameter.name] = std::exchange(rest, {});
    } else if (parameter.place == ChatPlace::word) {
      const auto value = take_value(rest);
      if (!value) {
        return refuse_usage(*call.operation,
                            "the second quote of " + parameter.name + " is missing");
      }
      call.arguments[parameter.name] = *value;
    }
  }
  if (!rest.empty()) return refuse_usage(*call.operation, "'" + shown(rest) + "' is too much");
  return call;
}

}  // namespace workers
