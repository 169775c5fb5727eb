// Opens sessions: new ones, and those that go on with an ended one.
#pragma once

#include <string>
#include <string_view>

#include "workers/operations/caller.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

// Drops a fallback model that nobody named for this session, if it is the session's own model.
void settle_fallback(const SpecDefaults& defaults, domain::SessionSpec& spec);

// Fails for a prompt that the server would refuse, before sending it. With files it can be empty.
Outcome<bool> check_prompt(const std::string& prompt, bool has_files = false);

// Fails if the working folder is missing: otherwise the session would only fail when its agent
// starts. The server runs on this machine, so the check is valid for it.
// `parameter`: by which another one can be named.
Outcome<bool> check_workdir(const std::string& workdir, std::string_view parameter = "--workdir");
// True if the file of mcp_config is there and can be read, or the spec names none.
Outcome<bool> check_mcp_config(const domain::SessionSpec& spec);

// Describes a session that this caller opens as a subagent of its own session, if that is a live
// one of the same agent. A subagent has none, so that what it launches stands alone. False: it is
// not described.
Task<Outcome<bool>> describe_as_child(const Caller& caller, domain::Descriptor& descriptor);

struct Spawned {
  base::SessionId session;
  base::CommandId command;
  CommandReplyBody reply;
};

// Returns the channel that a new session is told of; empty: the server finds one.
std::string channel_to_name(const SpecDefaults& defaults, const std::string& workdir);

// Returns what is wrong with a channel of which notifications are expected: the server has no sink
// for channels; empty: nothing.
Task<Outcome<std::string>> unheard_text(const Caller& caller, const std::string& channel);

// Sends it as the request of the session that the caller belongs to, if it does to one; its name
// in Unicode's normal form C, so that no two names look the same.
Task<Outcome<Spawned>> send_spawn(const Caller& caller, const domain::Spawn& spawn);

// The prompt of a resume without one of its own.
inline constexpr std::string_view kResumePrompt = "Continue where you left off.";

// A caller says this of a session that goes on with an ended one.
struct ResumeRequest {
  std::string prompt;  // empty: see kResumePrompt
  std::string name;
  std::string system_prompt;               // empty: as the session had it
  std::vector<std::string> allowed_tools;  // empty: as the session had them
  std::int64_t max_turns = 0;              // 0: as the session had it
  bool is_fork = false;
  bool is_multi_turn = false;  // also if the session was not
};

// Returns a spawn with the settings that the session had.
domain::Spawn to_resume(const SpecDefaults& defaults, const ResumeRequest& wanted,
                        const ShowAnswer& shown);

// Sends the resume, and retries when it is busy: the agent process of a session that just ended
// needs a moment to exit. That can be the resumed session or another one that continued it. The
// command is sent again whenever a lease of the agent's ends, until the time-out. `shown` was read
// before the refusal.
Task<Outcome<Spawned>> send_resume(const Caller& caller, const domain::Spawn& spawn,
                                   const ShowAnswer& shown);

// Returns where the conversation goes on, unless that is the old session's own end.
std::string resumed_place_text(const projections::SessionRow& old, const Spawned& spawned);

}  // namespace workers
