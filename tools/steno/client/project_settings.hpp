// Takes a project's file (project_file.hpp) into what is opened in its folders.
#pragma once

#include "tools/steno/client/client_commands.hpp"

namespace steno {

// A session to open, with the configuration that it is opened by.
struct Opening {
  Config config;
  SpawnArguments arguments;
};

// Takes in the file that is above this process's folder. Flags and variables are stronger than it,
// it is stronger than the settings file, and a template is stronger than the file's defaults.
// Failures: a file that is wrong; a template that is not there; a file that gives an agent more
// than its user does, and that the user does not trust.
Outcome<Opening> with_project(const Config& config, const SpawnArguments& arguments);

struct TrustArguments {
  std::string file;           // or its folder; empty: the one that is above this process's folder
  bool is_forgotten = false;  // trust is taken away
  bool is_confirmed = false;  // do not ask for confirmation
};
// Shows what the file gives beyond the user's own settings, and trusts it as it is.
Outcome<int> config_trust(const Config& config, const TrustArguments& arguments);

}  // namespace steno
