// The files of projects that a person trusts, by their path and their content, with that of the
// files of MCP servers that they name. A file that was changed since is none of them.
#pragma once

#include <string>

#include "tools/steno/config/project_file.hpp"

namespace steno {

struct Config;

enum class Trust { none, changed, given };

// Returns the path of the list: `trusted` in the home, or beside the user's own settings.
std::string trust_list_of(const Config& config);

// A list that cannot be read gives trust to nobody.
Trust trust_in(const std::string& list, const ProjectFile& file);

// Returns what stands for the content that is trusted. Errors: io, too_large, if a file of MCP
// servers is there and cannot be read.
base::Result<std::string> trust_digest(const ProjectFile& file);

// Gives the file of that path trust with that content; an empty digest takes the trust away. False:
// it was so before. Errors: as change_file(); invalid, if the path has control characters.
base::Result<bool> set_trust(const std::string& list, const std::string& path,
                             const std::string& digest);

}  // namespace steno
