// Makes and checks names. Making one keeps the first telling words; checking rejects names that
// cannot be printed on one line, or that look like an id, an alias or another reference.
#include "eventlog/domain/session/session_name.hpp"

#include <algorithm>
#include <array>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/characters.hpp"

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

using IsPart = bool (*)(char32_t c);

// Cuts the word off at a whole character.
std::string_view cut_word(std::string_view word) {
  if (word.size() <= kWordBytesMax) return word;
  std::size_t end = kWordBytesMax;
  while ((static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;
  return word.substr(0, end);
}

// Makes a name of the characters that are parts of words; all others divide them.
std::string words_of(std::string_view text, IsPart is_part) {
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
        name += cut_word(core);
      }
    }
    word.clear();
  };
  while (!text.empty() && words < kWordsMax) {
    const char32_t c = take_code_point(text);
    if (c == '-' || is_part(c)) {
      append_code_point(word, small_letter(c));
    } else {
      take();
    }
  }
  if (words < kWordsMax) take();
  return name.empty() ? "session" : name;
}

// Returns the part of the prompt that its name is made from, as well-formed UTF-8: each byte that
// is none becomes a blank.
std::string named_part(std::string_view prompt) {
  std::string_view part = prompt.substr(0, kNamedBytes);
  if (part.size() < prompt.size()) {
    while (!part.empty() && (static_cast<unsigned char>(prompt[part.size()]) & 0xC0) == 0x80) {
      part.remove_suffix(1);
    }
  }
  std::string text(part);
  if (base::is_utf8(text)) return text;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) c = ' ';
  }
  return text;
}

bool is_ascii_part(char32_t c) {
  return c < 0x80 && is_word_char(c);
}

}  // namespace

std::string name_from_prompt(std::string_view prompt) {
  return words_of(named_part(prompt), is_word_char);
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
  if (name.starts_with('@')) {
    return "a session's name does not begin with @, as references such as @foreground do; leave it "
           "out";
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
  if (auto name = marked_name(name_from_prompt(prompt), mark, number)) return name;
  // Earlier releases knew the words of ASCII only.
  return marked_name(words_of(named_part(prompt), is_ascii_part), mark, number);
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
