// Reads the words of CLI11's errors, and says the same in plain ones. Words that it does not know
// stay as they are.
#include "tools/steno/command_line/parser_words.hpp"

#include <algorithm>
#include <string_view>

#include "eventlog/base/msgpack.hpp"
#include "tools/steno/command_line/completion.hpp"

namespace steno {
namespace {

// Returns the name of an option as it was typed: "-n" of "-n,--limit". `name` is its own.
std::string typed_name(const CLI::App& command, const std::string& name,
                       std::span<const char* const> words) {
  const CLI::Option* option = option_named(command, name);
  if (option == nullptr || option->get_snames().empty()) return name;
  const std::string letter = "-" + option->get_snames().front();
  const auto is_letter = [&](std::string_view word) { return word.starts_with(letter); };
  const auto is_name = [&](std::string_view word) {
    return word == name || word.starts_with(name + "=");
  };
  const bool is_short = std::any_of(words.begin(), words.end(), is_letter) &&
                        std::none_of(words.begin(), words.end(), is_name);
  return is_short ? letter : name;
}

// Returns what a value that is no number, or one out of its range, should have been.
std::string number_words(const std::string& range) {
  const std::size_t to = range.find(" to ");
  if (to == std::string::npos) return " takes a whole number";
  const bool has_end = range.substr(to + 4) != std::to_string(base::kIntegerLimit - 1);
  return " takes a whole number" +
         (has_end ? " from " + range : " that is at least " + range.substr(0, to));
}

}  // namespace

std::string parser_words(const CLI::App& command, const CLI::ParseError& error,
                         std::span<const char* const> words) {
  std::string text = error.what();
  // Returns what stands before the first of these words; empty: they are not there.
  const auto before = [](std::string_view all, std::string_view end) {
    const std::size_t at = all.find(end);
    return std::string(at == std::string_view::npos ? "" : all.substr(0, at));
  };
  const auto behind = [](std::string_view all, std::string_view begin) {
    const std::size_t at = all.find(begin);
    return std::string(at == std::string_view::npos ? "" : all.substr(at + begin.size()));
  };
  const auto typed = [&](const std::string& name) { return typed_name(command, name, words); };
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const std::string rest = behind(text, "Could not convert: ");
    const std::string name = before(rest, " = ");
    if (name.empty()) return text;
    const CLI::Option* option = command.get_option_no_throw(name);
    const bool is_flag = option != nullptr && option->get_items_expected_max() == 0;
    return typed(name) + (is_flag ? " takes no value, and has '" : number_words("") + ", not '") +
           behind(rest, " = ") + "'";
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    const std::string value = before(behind(text, ": Value "), " not in range ");
    if (value.empty()) return text;
    return typed(before(text, ": Value ")) + number_words(behind(text, " not in range ")) +
           ", not '" + value + "'";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string most = before(text, ": At Most 1 required");
    if (!most.empty()) return "say " + typed(most) + " once only";
    const std::string bare = before(text, ": 1 required ");
    return bare.empty() ? text : typed(bare) + " needs a value behind it";
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    return typed(before(text, " excludes ")) + " excludes " + typed(behind(text, " excludes ")) +
           ": say only one of them";
  }
  const std::string among = before(behind(text, "from ["), "]");
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr || among.empty()) return text;
  const bool is_over = text.ends_with(" given") || text.starts_with("Requires at most 1 ");
  return (is_over ? "say only one of " : "say one of ") + among;
}

}  // namespace steno
