// Words about the end of a turn, and about what an agent tells of itself, which all surfaces share.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/session/events.hpp"

namespace workers {

// True if the turn finished otherwise than by its completion, as far as the agent says.
bool has_odd_end(const domain::TurnFinished& e);

// Returns what is to be said of a finished turn beside its answer: that there is none, and an odd
// end; empty: nothing.
std::string end_text(const domain::TurnFinished& e, bool has_text = false);

// Returns the reason of a failed turn in the agent's words, such as "error_max_turns" or
// "api_error, HTTP 500"; empty: it gave none.
std::string failure_reason(const domain::TurnFailed& e);

// Returns "MCP server NAME: STATUS" of each, with commas; empty: all servers are connected.
std::string mcp_text(const std::vector<std::string>& broken);

// Returns that others have used the agent session, and what became of both conversations.
std::string shared_text(const domain::AgentSessionShared& shared);

// Returns "1 tool call was denied: Write"; empty: none was.
std::string denied_text(std::int64_t calls, const std::vector<std::string>& tools);

}  // namespace workers
