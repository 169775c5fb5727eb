// Messages that stop a conversation: /stop, and the bare words stop, esc, abort, wait, exit and
// interrupt. A message with any other word beside them stops nothing. Source: details 2.1.
#pragma once

#include <string_view>

namespace domain {

// True for a bare word, in any case, with white space around it.
bool is_stop_word(std::string_view text);

// True if the message ends the turn that runs, empties the queue (whose messages clear() returns)
// and stops the subagents. Nobody else's words stop anything: they are a message like any other.
bool is_stop_request(std::string_view text, bool is_authorised);

}  // namespace domain
