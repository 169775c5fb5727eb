// Acts of people on one session, on the command line and on the screen of `top`.
#pragma once

#include <string>

#include "projections/views/session_list.hpp"
#include "tools/steno/config/config.hpp"
#include "workers/operations/caller.hpp"

namespace steno {

// A command that a session has taken, with the line that tells people of it.
struct Done {
  projections::SessionRow row;  // as it was before
  workers::CommandReplyBody reply;
  std::string line;
};
using Doing = workers::Task<workers::Outcome<Done>>;

// Returns when it is too late to start a prompt that is sent now, if a flag says so; else 0: never.
base::Time start_before_flag(const Config& config, const workers::Caller& caller);

// Returns the prompt as `steno send` sends it, with what its flags say.
domain::SendPrompt said_prompt(const Config& config, const workers::Caller& caller,
                               std::string prompt);

// Returns what is said of a session whose prompts are paused; empty: they are not.
std::string paused_text(const workers::CommandReplyBody& reply);
// Returns what became of a prompt that was sent to `session`.
std::string sent_text(const std::string& session, const workers::CommandReplyBody& reply);

// Each sends one command to the session. The caller outlives the task.
Doing send_prompt(const workers::Caller& caller, base::CommandId id, projections::SessionRow row,
                  domain::SendPrompt prompt);
Doing interrupt_turn(const workers::Caller& caller, projections::SessionRow row);
Doing go_on(const workers::Caller& caller, projections::SessionRow row);
Doing kill_now(const workers::Caller& caller, projections::SessionRow row);
// Says that a person knows of the session's need. Sends nothing if it has none.
Doing dismiss_need(const workers::Caller& caller, projections::SessionRow row);

}  // namespace steno
