// The lines that are written to Claude Code: each is one JSON object and ends with a line feed.
// Bytes that are not UTF-8 are replaced by U+FFFD, because the agent exits on a line that is not
// JSON.
#pragma once

#include <optional>
#include <string>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/ids.hpp"
#include "workers/engines/ask.hpp"

namespace engines {

base::Bytes initialize_line(std::string_view request_id, base::ByteView system_prompt);
// The turn's id is the message's uuid: the agent does not run again a message that it knows.
base::Bytes prompt_line(base::TurnId turn, base::ByteView prompt);
// Asks the agent to end what it does now. `withdraws_prompts`: also those that wait in it.
base::Bytes interrupt_line(std::string_view request_id, bool withdraws_prompts);
// Returns the input that the call is to have; none: the text of the answer (engine.hpp) says none.
std::optional<base::Bytes> granted_input(const Ask& ask, base::ByteView text);
// These answer the agent's own requests, by the id that it gave them.
base::Bytes allow_line(std::string_view request_id, std::string_view call, base::ByteView input);
base::Bytes deny_line(std::string_view request_id, std::string_view call, std::string_view message);
// `result` and `input` are JSON; anything else counts as an empty object.
base::Bytes reply_line(std::string_view request_id, base::ByteView result);
base::Bytes refusal_line(std::string_view request_id, std::string_view error);

}  // namespace engines
