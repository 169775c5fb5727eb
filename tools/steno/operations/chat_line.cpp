// Takes a line apart: the command, its options, its words, and the rest.
#include "tools/steno/operations/chat_line.hpp"

#include <algorithm>
#include <optional>

#include "tools/steno/operations/operations.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

void skip_blanks(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
}

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  skip_blanks(rest);
  return word;
}

// Takes a word, or what stands between double quotes. No value: the second quote is missing.
std::optional<std::string_view> take_value(std::string_view& rest) {
  if (!rest.starts_with('"')) return take_word(rest);
  const std::size_t end = rest.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view value = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  skip_blanks(rest);
  return value;
}

tl::unexpected<Failure> fail_usage(const Operation& operation, const std::string& what) {
  return fail(kExitUsage, what + "; usage: " + operation.chat_usage());
}

tl::unexpected<Failure> fail_unknown(std::string_view command) {
  std::string known;
  for (const Operation& operation : operations()) {
    if (!operation.chat.empty()) known += (known.empty() ? "" : "; ") + operation.chat_usage();
  }
  return fail(kExitUsage, "'" + shown(command) + "' is no command; there are " + known);
}

// Takes the options off the front.
Outcome<bool> take_options(const Operation& operation, std::string_view& rest, Json& arguments) {
  while (rest.starts_with("--")) {
    const std::string_view word = take_word(rest);
    if (word == "--") return true;
    const auto& all = operation.parameters;
    const auto option = std::find_if(all.begin(), all.end(), [&](const Parameter& parameter) {
      return parameter.place == ChatPlace::option && word.substr(2) == parameter.name;
    });
    if (option == all.end()) {
      return fail_usage(operation, "there is no option " + shown(word) +
                                       " (-- comes before a text that begins so)");
    }
    if (arguments.contains(option->name)) {
      return fail_usage(operation, shown(word) + " is said twice");
    }
    if (option->is_flag()) {
      arguments[option->name] = true;
      continue;
    }
    const auto value = take_value(rest);
    if (!value) return fail_usage(operation, "the second quote of " + shown(word) + " is missing");
    if (value->empty()) return fail_usage(operation, shown(word) + " lacks its value");
    arguments[option->name] = *value;
  }
  return true;
}

}  // namespace

Outcome<ChatCall> parse_chat(std::string_view line) {
  std::string_view rest = line;
  skip_blanks(rest);
  const std::string_view command = take_word(rest);
  const std::string_view name = command.substr(0, command.find('@'));
  ChatCall call;
  if (name.starts_with('/')) call.operation = operation_of_chat(name.substr(1));
  if (call.operation == nullptr) return fail_unknown(command);
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
      if (is_missing) return fail_usage(*call.operation, parameter.name + " is missing");
    } else if (parameter.place == ChatPlace::rest) {
      call.arguments[parameter.name] = std::exchange(rest, {});
    } else if (parameter.place == ChatPlace::word) {
      call.arguments[parameter.name] = take_word(rest);
    }
  }
  if (!rest.empty()) return fail_usage(*call.operation, "'" + shown(rest) + "' is too much");
  return call;
}

}  // namespace steno
