// The texts that a search finds: which events have one, and who said it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/domain/recorded_event.hpp"

namespace projections {

// Stored as its number.
enum class Speaker : std::uint8_t {
  user,       // prompts, and people's answers to what an agent asks
  assistant,  // the agent's words and thoughts, and why its turns failed
  tool,       // inputs and results of tool calls
};

struct Said {
  Speaker by = Speaker::user;
  std::string tool;         // of a call that is started; else empty
  std::int64_t block = 0;   // of the agent's words, see OutputRecorded; 0: it has none
  bool is_partial = false;  // the finished block supersedes it
  base::Time at;            // when it was said, if it was imported; 0: when it was recorded
  std::string text;         // see said_text
};

// A text is searched up to here. Longer ones are seldom written by people: they are files that were
// read, or logs.
constexpr std::size_t kSaidBytesMax = std::size_t{64} << 10;

// The text's first kSaidBytesMax bytes, as the index keeps it: UTF-8 without NUL and the two marks,
// which become blanks. Bytes that are not UTF-8 become U+FFFD. Escapes of JSON would join words, so
// they become what they stand for.
std::string said_text(std::string_view text, bool may_be_json);
constexpr char kMarkBegin = '\x01';
constexpr char kMarkEnd = '\x02';

// Returns none if the event of a session says nothing that a search finds. Its text is empty if it
// has no content.
std::optional<Said> said_by(const domain::RecordedEvent& event);

}  // namespace projections
