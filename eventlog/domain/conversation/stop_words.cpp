// Compares the whole message.
#include "eventlog/domain/conversation/stop_words.hpp"

#include <algorithm>
#include <iterator>

#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::string_view kWords[] = {"stop", "esc", "abort", "wait", "exit", "interrupt"};
constexpr std::string_view kCommand = "/stop";
constexpr std::size_t kStopWordBytesMax = 16;  // longer than each, so that no long text is copied

std::string small_word(std::string_view text) {
  const std::string_view word = trimmed(text);
  return word.size() > kStopWordBytesMax ? std::string() : small_letters(word);
}

}  // namespace

bool is_stop_word(std::string_view text) {
  return std::find(std::begin(kWords), std::end(kWords), small_word(text)) != std::end(kWords);
}

bool is_stop_request(std::string_view text, bool is_authorised) {
  return is_authorised && (is_stop_word(text) || small_word(text) == kCommand);
}

}  // namespace domain
