// A kind of agent: its name, its program, and its codec.
#pragma once

#include <memory>
#include <string_view>

#include "workers/engines/engine.hpp"

namespace engines {

struct EngineKind {
  std::string_view name;         // as a session's spec says it; a setting is named after it
  std::string_view description;  // of how it is started, for help
  std::string_view program;      // of its executable, where no setting says otherwise
  bool is_beside_steno = false;  // it is looked for in steno's own folder, else in the PATH
  std::unique_ptr<Engine> (*make)(EngineSettings settings, SessionLaunch session);
};

}  // namespace engines
