// What is in a folder. The iterators of std::filesystem throw when a folder cannot be read to its
// end, which on the thread of a job ends the process, so nothing else uses them.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/result.hpp"

namespace base {

enum class FileKind { file, folder, other };  // other: a symbolic link, a socket, …

struct ListedFile {
  std::string name;
  std::string path;  // the folder's path as it was given, '/', the name
  FileKind kind = FileKind::file;

  // What follows the name's last dot, with the dot; empty where there is none, as in ".hidden".
  std::string extension() const;
  // The name without its extension.
  std::string stem() const;
};

// All that is in the folder but "." and "..", by name. Links are not followed. What goes while it
// is read may be left out. Errors: not_found; invalid when it is no folder; refused; io.
Result<std::vector<ListedFile>> list_files(const std::string& folder);

// Also what is in the folders below it: a folder comes before its files. One that goes meanwhile
// counts as empty. Errors: as above.
Result<std::vector<ListedFile>> list_tree(const std::string& folder);

}  // namespace base
