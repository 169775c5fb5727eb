// The private folders of a session, which server and worker know by the same names.
#pragma once

#include <string>

#include "eventlog/base/ids.hpp"

namespace engines {

struct SessionFolders {
  // `parent`: the folder that holds those of all sessions.
  SessionFolders(const std::string& parent, base::SessionId session)
      : own(parent + "/" + session.text()), temp(own + "/tmp"), runtime(own + "/run") {}

  std::string own;
  std::string temp;
  std::string runtime;
};

// Returns the path of the file in which hooks at the start of a session leave variables for the
// commands of its agent: lines of a shell.
inline std::string hook_variables(const std::string& runtime_folder) {
  return runtime_folder + "/hooks.env";
}

}  // namespace engines
