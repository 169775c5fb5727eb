// Opens sessions: new ones, and those that go on with an ended one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/steno/connection/connection.hpp"

namespace steno {

// Returns the session whose agent runs this process; unset: none does.
base::SessionId calling_session();

// Returns that session, of whichever agent; none: this process is of none, or of one of another
// log.
Outcome<std::optional<workers::ShowAnswer>> own_session(Connection& connection);

// Returns the settings of a new session, as far as the configuration has them.
domain::SessionSpec spec_of(const Config& config);

// Drops a fallback model that nobody named for this session, if it is the session's own model.
void settle_fallback(const Config& config, domain::SessionSpec& spec);

// Returns when it is too late to start a prompt that is sent now (start_within); 0: never.
base::Time start_before(Connection& connection);
// The same if this process was told so by a flag; else 0.
base::Time start_before_flag(Connection& connection);

// Fails for a prompt that the server would refuse, before sending it.
Outcome<bool> check_prompt(const std::string& prompt);

// Fails if the working folder is missing: otherwise the session would only fail when its agent
// starts. The server runs on this machine, so the check is valid for it.
// `parameter`: by which another one can be named.
Outcome<bool> check_workdir(const std::string& workdir, std::string_view parameter = "--workdir");

// Describes a session that this process opens as a subagent of its own session, if that is a live
// one of the same agent. A subagent has none, so that what it launches stands alone.
Outcome<bool> describe_as_child(Connection& connection, domain::Descriptor& descriptor);

struct Spawned {
  base::SessionId session;
  base::CommandId command;
  workers::CommandReplyBody reply;
};

// Returns the channel that a new session is told of; empty: the server finds one. What an agent's
// own process opens is heard where the agent's session is, unless a flag says otherwise.
std::string channel_to_name(const Config& config, const std::string& workdir);

// Returns what is wrong with a channel of which notifications are expected: the server has no sink
// for channels; empty: nothing.
Outcome<std::string> unheard_text(Connection& connection, const std::string& channel);

// Sends it as the request of the session that this process belongs to, if it does to one; its name
// in Unicode's normal form C, so that no two names look the same.
Outcome<Spawned> send_spawn(Connection& connection, const domain::Spawn& spawn);

// The prompt of a resume without one of its own.
inline constexpr std::string_view kResumePrompt = "Continue where you left off.";

// The settings of a session that goes on with an ended one.
struct ResumeRequest {
  std::string prompt;  // empty: see kResumePrompt
  std::string name;
  std::string system_prompt;               // empty: as the session had it
  std::vector<std::string> allowed_tools;  // empty: as the session had them
  std::int64_t max_turns = 0;              // 0: as the session had it
  bool is_fork = false;
  bool is_multi_turn = false;  // also if the session was not
  bool takes_flags = false;    // the flags of this process are meant for the session
};

// Returns a spawn with the settings that the session had, unless a flag says otherwise that is
// meant for it.
domain::Spawn to_resume(const Config& config, const ResumeRequest& wanted,
                        const workers::ShowAnswer& shown);

// Sends the resume, and retries when it is busy: the agent process of a session that just ended
// needs a moment to exit. That can be the resumed session or another one that continued it. The
// command is sent again whenever a lease of the agent's ends, until the time-out. `shown` was read
// before the refusal.
Outcome<Spawned> send_resume(Connection& connection, const domain::Spawn& spawn,
                             const workers::ShowAnswer& shown);

// Returns where the conversation goes on, unless that is the old session's own end.
std::string resumed_place_text(const projections::SessionRow& old, const Spawned& spawned);

// True if the reference is no session's, and can be an agent's own id of one that it had elsewhere.
bool may_be_foreign(const std::string& reference, const Failure& failure);

}  // namespace steno
