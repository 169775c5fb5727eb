// The prompt of a turn that is made of messages that have waited, and the line that stands for one
// that was dropped. Source: details 2.1.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "eventlog/domain/conversation/message_queue.hpp"

namespace domain {

// Of a summary, as a reader counts them.
constexpr std::size_t kSummaryCharacters = 160;
// So that lines which are kept are bounded, whatever characters are made of.
constexpr std::size_t kSummaryBytesMax = 1'024;

// Returns the text on one line, of at most kSummaryCharacters and kSummaryBytesMax; a longer one
// ends with "…".
std::string summary_line(std::string_view text);

// Returns the prompt. `texts` are those of the turn's messages, in its order, and `latest` those of
// its overflow.
std::string queued_prompt(const NextTurn& turn, std::span<const std::string_view> texts,
                          std::span<const std::string_view> latest = {});

}  // namespace domain
