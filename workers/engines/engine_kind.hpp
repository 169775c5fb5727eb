// A kind of agent: its name, its program, and its codec.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "workers/engines/engine.hpp"
#include "workers/engines/engine_launch.hpp"

namespace engines {

struct EngineKind {
  std::string_view name;         // of the engine that is always there; a setting is named after it
  std::string_view description;  // the agent in words, for help: "How to start <it>"
  // The agent's names where people chat: as the one who speaks, and as what has run.
  std::string_view speaker;
  std::string_view title;
  std::string_view program;      // name of its executable, unless a setting names another
  bool is_beside_steno = false;  // looked for in steno's own folder, else in the PATH
  std::unique_ptr<Engine> (*make)(EngineSettings settings, SessionLaunch session) = nullptr;
  // The points at which its agents can be asked, besides those at which Steno itself asks.
  std::span<const domain::HookPoint> hook_points{};
  bool is_injecting = false;  // its agents take a prompt while they work, see AddPrompt
  bool takes_files = false;   // its agents take files with a prompt, see PromptFile
  bool has_login = false;     // its agents need a login, or a key in their environment
  bool is_pricing = false;    // its spending is priced by the table of the settings
  // Returns how many answers others had in the agent session behind session.last_message. Null: it
  // cannot be known.
  std::int64_t (*count_others)(const EngineSettings& settings,
                               const SessionLaunch& session) = nullptr;
};

}  // namespace engines
