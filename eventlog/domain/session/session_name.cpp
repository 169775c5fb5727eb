// Makes and checks names. Making one keeps the first telling words in ASCII; checking rejects names
// that cannot be printed on one line or that look like an id or an alias.
#include "eventlog/domain/session/session_name.hpp"

#include <algorithm>
#include <array>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"

namespace domain {
namespace {

constexpr std::size_t kWordsMax = 3;
constexpr std::size_t kWordBytesMax = 24;
constexpr std::size_t kNamedBytes = 4096;  // the part of a prompt that its name is made from

// Words that say nothing about what a session is for.
constexpr std::array<std::string_view, 91> kStopWords = {
    "about", "add",    "after", "all",  "also",   "am",    "an",    "and",       "any",    "are",
    "as",    "at",     "be",    "been", "before", "but",   "by",    "can",       "could",  "create",
    "build", "did",    "do",    "does", "down",   "for",   "from",  "had",       "has",    "have",
    "he",    "her",    "here",  "him",  "his",    "how",   "if",    "implement", "in",     "into",
    "is",    "it",     "its",   "just", "make",   "may",   "me",    "might",     "must",   "my",
    "no",    "not",    "of",    "on",   "or",     "our",   "out",   "over",      "please", "shall",
    "she",   "should", "so",    "some", "than",   "that",  "the",   "their",     "them",   "then",
    "there", "these",  "they",  "this", "those",  "to",    "under", "up",        "update", "us",
    "was",   "we",     "were",  "what", "when",   "which", "who",   "will",      "with",   "would",
    "write"};

bool is_stop_word(std::string_view word) {
  return word.size() < 2 || word == "you" || word == "your" ||
         std::find(kStopWords.begin(), kStopWords.end(), word) != kStopWords.end();
}

// Takes the next code point off well-formed UTF-8. The text must not be empty.
char32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t point = bytes == 1 ? first : first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(bytes);
  return point;
}

// Tabs, line ends, escapes, and marks that turn the direction of the text around them.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// True for characters that are shown as nothing.
bool is_blank(char32_t c) {
  return c == ' ' || c == 0xA0 || c == 0xAD || c == 0x1680 || (c >= 0x2000 && c <= 0x200F) ||
         c == 0x202F || (c >= 0x205F && c <= 0x2065) || c == 0x3000 || c == 0xFEFF;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

std::string name_from_prompt(std::string_view prompt) {
  std::string name;
  std::string word;
  std::size_t words = 0;
  const auto take = [&] {
    const std::size_t first = word.find_first_not_of('-');
    const std::size_t last = word.find_last_not_of('-');
    if (first != std::string::npos) {
      const std::string core = word.substr(first, last - first + 1);
      if (!is_stop_word(core)) {
        if (words++ > 0) name += '-';
        name += core.substr(0, kWordBytesMax);
      }
    }
    word.clear();
  };
  for (char c : prompt.substr(0, kNamedBytes)) {
    if (words == kWordsMax) break;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (is_name_char(c)) {
      word += c;
    } else {
      take();
    }
  }
  if (words < kWordsMax) take();
  return name.empty() ? "session" : name;
}

std::optional<std::string> name_fault(std::string_view name) {
  if (name.size() > kNameBytesMax) {
    return "a session's name has at most " + std::to_string(kNameBytesMax) + " bytes, not " +
           std::to_string(name.size()) + "; give a shorter one";
  }
  if (!base::is_utf8(name)) return "a session's name is UTF-8 text, which this one is not";
  if (is_other_reference(name)) {
    return "the name '" + std::string(name) +
           "' has the form of a session's id or alias, and would be taken for one; give another "
           "one, such as '" +
           std::string(name) + "-1'";
  }
  bool is_edge_blank = false;
  for (std::string_view rest = name; !rest.empty();) {
    const bool is_first = rest.size() == name.size();
    const char32_t c = take_code_point(rest);
    if (is_control(c)) {
      return "a session's name is one line without tabs or other control characters; leave them "
             "out";
    }
    is_edge_blank = is_edge_blank || ((is_first || rest.empty()) && is_blank(c));
  }
  if (is_edge_blank) return "a session's name neither begins nor ends with a blank; leave it out";
  return std::nullopt;
}

std::string numbered_name(const std::string& words, std::int64_t number) {
  return number == 1 ? words : words + "-" + std::to_string(number);
}

bool is_other_reference(std::string_view name) {
  return has_alias_form(name) || base::parse_id(name).has_value();
}

std::optional<std::string> made_name(std::string_view prompt, std::int64_t mark,
                                     std::int64_t number) {
  return marked_name(name_from_prompt(prompt), mark, number);
}

std::optional<std::string> marked_name(const std::string& words, std::int64_t mark,
                                       std::int64_t number) {
  const std::int64_t last = number > 0 ? number : kNameNumberMax;
  for (std::int64_t one = std::max<std::int64_t>(number, 1); one <= last; ++one) {
    std::string name = numbered_name(words, one);
    if (name_mark(name) == mark) return name;
  }
  return std::nullopt;
}

}  // namespace domain
