// Flags, environment and file: which file is read, and what the strongest of them says.
#pragma once

#include <map>
#include <optional>

#include "tools/steno/config/given_setting.hpp"

namespace steno {

// Finds the strongest of flags, environment and file for a key.
class Sources {
 public:
  // `input` must outlive the sources.
  explicit Sources(const ConfigInput& input) : input_(input) {}

  // Errors: those of the input's read_file; invalid, for a key that is unknown or of the wrong
  // kind. A file that is not there is an error only if it must exist.
  base::Result<void> read_file(const std::string& path, bool must_exist);
  bool has_file() const { return has_file_; }
  // Returns what the file's tables say, in its order.
  const std::vector<FileSetting>& in_tables() const { return in_tables_; }

  // Returns nothing if nobody has given the setting.
  std::optional<Given> find(const std::string& key) const;

 private:
  base::Result<void> accept(FileSetting& setting, const std::string& path);

  const ConfigInput& input_;
  bool has_file_ = false;
  std::string path_;
  std::map<std::string, FileSetting> file_;
  std::vector<FileSetting> in_tables_;
};

struct ConfigFile {
  std::string path;
  bool is_named = false;
};

// Returns the file with the strongest name, or the home's file if a home is named more strongly.
base::Result<ConfigFile> choose_file(const ConfigInput& input, const Sources& sources);

// Returns the value; empty: there is none.
std::string lookup(const std::map<std::string, std::string>& values, const std::string& name);
// Returns a folder of the XDG base directory specification, which says to ignore relative values.
std::string xdg_folder(const ConfigInput& input, const std::string& variable,
                       const std::string& below_home);

}  // namespace steno
