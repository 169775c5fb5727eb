// Takes a project's file (project_file.hpp) into what is opened in its folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/config/project_file.hpp"

namespace steno {

constexpr std::string_view kNoProjectFile = "none";  // as the name of a template

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

// Returns the path of the file that is above this process's folder, as find_project_file() does.
std::string project_file_here(std::string& looked_up_to);

// Reads the file with all keys that it can have. Errors: as read_project_file().
base::Result<ProjectFile> read_project(const std::string& path);

// Returns the settings of the file that give an agent more than its user does, whichever template
// is used. Failure: a setting is wrong.
Outcome<std::vector<FileSetting>> all_widening(const Config& config, const ProjectFile& file);

}  // namespace steno
