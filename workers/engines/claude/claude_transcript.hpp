// Looks into the transcript of an agent session for answers that others had in it: a person, or
// another server with the same home. The transcript's form is not documented. What cannot be read
// counts as nothing.
#pragma once

#include <cstdint>

#include "workers/engines/engine_launch.hpp"

namespace engines {

// Returns how many answers of a model follow `session.last_message` in the agent session that the
// process would resume, to prompts that follow it, too. 0 also if that is not known. Reads at most
// the last 64 MiB; blocks for as long as the disk takes.
std::int64_t count_answers_of_others(const EngineSettings& settings, const SessionLaunch& session);

// The same for the text of a transcript.
std::int64_t count_answers_behind(base::ByteView transcript, std::string_view message);

}  // namespace engines
