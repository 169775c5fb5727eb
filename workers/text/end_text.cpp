// The agent's own words are quoted as they are; whoever shows the text makes it safe.
#include "workers/text/end_text.hpp"

namespace workers {
namespace {

constexpr std::string_view kCompleted = "completed";

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

}  // namespace

bool has_odd_end(const domain::TurnFinished& e) {
  return !e.terminal_reason.empty() && e.terminal_reason != kCompleted;
}

std::string end_text(const domain::TurnFinished& e, bool has_text) {
  std::string text;
  if (e.is_answer && !has_text) text = "the agent gave no answer";
  if (has_odd_end(e))
    text += (text.empty() ? "the turn ended by " : "; the turn ended by ") + e.terminal_reason;
  return text;
}

std::string failure_reason(const domain::TurnFailed& e) {
  // The agent calls a failed call of its model's API a success, or completed.
  std::string reason = e.subtype == "success" ? std::string() : e.subtype;
  if (reason.empty() && e.terminal_reason != kCompleted) reason = e.terminal_reason;
  if (e.api_status != 0) {
    reason += (reason.empty() ? "HTTP " : ", HTTP ") + std::to_string(e.api_status);
  }
  return reason;
}

std::string mcp_text(const std::vector<std::string>& broken) {
  if (broken.empty()) return {};
  return (broken.size() == 1 ? "MCP server " : "MCP servers ") + joined(broken);
}

std::string shared_text(const domain::AgentSessionShared& shared) {
  const bool is_one = shared.answers == 1;
  return "somebody else has gone on with the agent's session (" + std::to_string(shared.answers) +
         (is_one ? " answer that is" : " answers that are") +
         " not on this record); this conversation goes on where it was, in a copy without " +
         (is_one ? "it" : "them") + "; theirs is in the agent's session " + shared.agent_session;
}

std::string denied_text(std::int64_t calls, const std::vector<std::string>& tools) {
  if (calls == 0) return {};
  return std::to_string(calls) +
         (calls == 1 ? " tool call was denied" : " tool calls were denied") +
         (tools.empty() ? "" : ": " + joined(tools));
}

}  // namespace workers
