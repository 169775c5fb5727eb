// Lists folders. The iterators of std::filesystem throw when a folder cannot be read to its end,
// which ends the process on a job's thread. So nothing else lists folders.
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

  // Returns the part from the name's last dot on, with the dot; empty if there is none, as in
  // ".hidden".
  std::string extension() const;
  // Returns the name without its extension.
  std::string stem() const;
};

// Lists everything in the folder but "." and "..", by name. Links are not followed. A file that is
// removed meanwhile may be left out. Errors: not_found; invalid when it is no folder; refused; io.
Result<std::vector<ListedFile>> list_files(const std::string& folder);

// Also lists the folders below it; a folder comes before its files. A folder that is removed
// meanwhile counts as empty. Errors: as above.
Result<std::vector<ListedFile>> list_tree(const std::string& folder);

}  // namespace base
