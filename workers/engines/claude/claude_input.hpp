// The lines that are written to Claude Code: each is one JSON object and ends with a line feed.
// Bytes that are not UTF-8 are replaced by U+FFFD, because the agent exits on a line that is not
// JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/ids.hpp"
#include "workers/engines/engine.hpp"

namespace engines {

// The points of which the agent can tell its host, and wait. A subagent's start is a call.
inline constexpr domain::HookPoint kClaudeHookPoints[] = {
    domain::HookPoint::pre_tool_use,  domain::HookPoint::permission_request,
    domain::HookPoint::post_tool_use, domain::HookPoint::post_tool_use_failure,
    domain::HookPoint::subagent_stop, domain::HookPoint::stop,
    domain::HookPoint::pre_compact};
// True for one that is a callback of the agent's: it tells its host of approvals in another way.
bool is_callback_point(domain::HookPoint point);
// `points`: those at which the agent is to wait for hooks; others than it can offer are left out.
// `holds_questions`: it also waits before it asks its user, see claude_holds.hpp.
base::Bytes initialize_line(std::string_view request_id, base::ByteView system_prompt,
                            const std::vector<domain::HookPoint>& points, bool holds_questions);
// The turn's id is the message's uuid: the agent does not run again a message that it knows. Files
// stand before the prompt, as the model's API recommends.
base::Bytes prompt_line(base::TurnId turn, base::ByteView prompt,
                        const std::vector<PromptFile>& files = {});
// Asks the agent to end what it does now. `withdraws_prompts`: also those that wait in it.
base::Bytes interrupt_line(std::string_view request_id, bool withdraws_prompts);
// Tells the agent of a setting of spec_settings.hpp; empty: it cannot be told of this one.
base::Bytes setting_line(std::string_view request_id, std::string_view key,
                         const domain::SessionSpec& spec);
// Returns the input that the call is to have; none: the text of the answer (engine.hpp) says none.
std::optional<base::Bytes> granted_input(const Ask& ask, base::ByteView text);
// These answer the agent's own requests, by the id that it gave them.
base::Bytes allow_line(std::string_view request_id, std::string_view call, base::ByteView input);
base::Bytes deny_line(std::string_view request_id, std::string_view call, std::string_view message);
// Answers a step, as engine.hpp has it: what hooks change if it is granted, else their reason.
// The output of a call is withheld from the model if its step is not granted.
base::Bytes step_line(const Ask& ask, bool is_granted, base::ByteView text);
// Answers a step at a call: the agent is to end its process, whose next one makes the call again.
base::Bytes defer_line(std::string_view request_id);
// `result` and `input` are JSON; anything else counts as an empty object.
base::Bytes reply_line(std::string_view request_id, base::ByteView result);
base::Bytes refusal_line(std::string_view request_id, std::string_view error);

}  // namespace engines
