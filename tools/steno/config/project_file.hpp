// The file .steno.toml of a project: settings of the sessions that are opened in its folders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/config/config_file.hpp"

namespace steno {

constexpr std::string_view kProjectFile = ".steno.toml";

struct ProjectFile {
  std::string path;
  std::string bytes;
  // What others can do with it, as in "the file belongs to another user"; empty: nothing.
  std::string_view foreign{};
  std::vector<FileSetting> settings;  // of [defaults] and [templates.NAME]
};

// Returns the path of the file that is nearest above `folder`, or in it. Looks up to the root of
// the version control or `user_home`; if neither is above, into `folder` alone. Empty: there is
// none. `looked_up_to` is the last folder that was looked into.
std::string find_project_file(const std::string& folder, const std::string& user_home,
                              std::string& looked_up_to);

// Reads the file, whose tables can have the `known` keys; `prompt` only templates. Errors:
// not_found; io; too_large; invalid, with the line, for what is no TOML, another table and an
// unknown key.
base::Result<ProjectFile> read_project_file(const std::string& path,
                                            const std::vector<std::string>& known);

std::vector<std::string> templates_of(const ProjectFile& file);

// Returns what [defaults] and then the template say, each key once. Empty: no template. Error
// not_found, with what may be meant, if there is none of that name.
base::Result<std::vector<FileSetting>> settings_of(const ProjectFile& file,
                                                   const std::string& template_name);

}  // namespace steno
