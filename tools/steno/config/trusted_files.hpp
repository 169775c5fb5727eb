// The files of projects that a person trusts, by their path and their content. A file that was
// changed since is none of them.
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

// Gives the file trust as it is now, or takes it away. Errors: as change_file(); invalid, if the
// path has control characters.
base::Result<bool> set_trust(const std::string& list, const ProjectFile& file, bool is_trusted);

}  // namespace steno
