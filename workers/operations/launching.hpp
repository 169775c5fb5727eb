// Launches sessions: new ones, those that go on with an ended one, and those of a user who writes
// and has no live session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workers/operations/opening.hpp"
#include "workers/operations/prompt_files.hpp"

namespace workers {

// A caller says this of a session that is launched.
struct LaunchArguments {
  std::string prompt;
  std::string name;
  std::string workdir;
  std::string model;
  std::optional<base::NanoUsd> max_budget;  // 0: no limit
  std::string system_prompt;
  std::vector<std::string> allowed_tools;
  std::string resumed;  // a session, or the id of one that the agent had outside of Steno
  bool is_fork = false;
  bool is_single_turn = false;
  std::optional<domain::PermissionMode> permission_mode;
  domain::SessionSpec settings{};  // has the further settings that `said` names by their keys
  std::vector<std::string> said{};
  std::string channel;  // where notifications go; empty: the caller's
  // When it is too late to start the prompt, 0: never; none: as the settings say.
  std::optional<base::Time> start_before{};
  std::vector<SaidFile> files{};   // that go with the prompt
  domain::PromptFiles attached{};  // those that were read already
};

// A launched session, and what its caller is told of it.
struct Launched {
  Spawned spawned;
  domain::Spawn wanted;
  std::string resumed;  // how the answer names the session that it goes on with; empty: none
  std::vector<std::string> notes;  // what the caller would not expect
};

// Fails for a text that is no channel.
Outcome<bool> check_channel(const std::string& channel);

// Returns the session that this request of the caller launched before, with another answer of the
// server; none: it comes for the first time.
Task<Outcome<std::optional<Launched>>> launched_before(const Caller& caller,
                                                       const LaunchArguments& said);

// Opens a session. `agent_session`: the one outside of Steno that it goes on with; empty: none.
// `known`: whose session it is; none: that of whoever asks.
Task<Outcome<Launched>> begin_new(const Caller& caller, const LaunchArguments& said,
                                  const std::string& agent_session,
                                  const domain::Descriptor& known);

// Goes on with the session `said.resumed`. `is_multi_turn`: none: as the old one was.
Task<Outcome<Launched>> begin_resumed(const Caller& caller, const LaunchArguments& said,
                                      std::optional<bool> is_multi_turn);

// Returns the user whom "@connector/user/channel" means; none: it means another session.
std::optional<domain::Descriptor> user_named(std::string_view reference);

// Something that is said to a user.
struct SaidToUser {
  std::string reference;  // "@connector/user/channel"
  std::string message;
  base::Time start_before{};  // when it is too late to start the prompt; 0: never
  domain::PromptFiles files{};
};

// Goes on with the user's newest session that can be resumed, else opens one. The reference means a
// user, whom no live session serves.
Task<Outcome<Launched>> launch_for(const Caller& caller, const SaidToUser& said);

}  // namespace workers
