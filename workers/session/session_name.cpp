#include "workers/session/session_name.hpp"

#include <algorithm>
#include <array>

namespace session {
namespace {

constexpr std::size_t kWordsMax = 3;
constexpr std::size_t kWordBytesMax = 24;

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
  for (char c : prompt) {
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

std::string unique_name(const std::string& wanted, const std::map<std::string, SessionId>& taken) {
  if (!taken.contains(wanted)) return wanted;
  for (std::int64_t suffix = 2;; ++suffix) {
    std::string candidate = wanted + "-" + std::to_string(suffix);
    if (!taken.contains(candidate)) return candidate;
  }
}

}  // namespace session
