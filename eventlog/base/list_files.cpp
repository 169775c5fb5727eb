// Reads folders with readdir, whose entries carry their kind, so that most need no stat.
#include "eventlog/base/list_files.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace base {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

tl::unexpected<Error> not_listed(const std::string& folder) {
  const int reason = errno;
  ErrorCode code = ErrorCode::io;
  if (reason == ENOENT) code = ErrorCode::not_found;
  if (reason == ENOTDIR) code = ErrorCode::invalid;
  if (reason == EACCES || reason == EPERM) code = ErrorCode::refused;
  return failure(code, std::string("cannot list the folder: ") + std::strerror(reason), folder);
}

FileKind kind_of_mode(mode_t mode) {
  return S_ISREG(mode) ? FileKind::file : S_ISDIR(mode) ? FileKind::folder : FileKind::other;
}

// Error not_found: the file is gone already.
Result<FileKind> kind_of(const dirent& entry, const std::string& path) {
  if (entry.d_type == DT_REG) return FileKind::file;
  if (entry.d_type == DT_DIR) return FileKind::folder;
  if (entry.d_type != DT_UNKNOWN) return FileKind::other;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return not_listed(path);
  return kind_of_mode(status.st_mode);
}

std::size_t dot_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == 0 || dot == std::string::npos ? name.size() : dot;
}

}  // namespace

std::string ListedFile::extension() const {
  return name.substr(dot_of(name));
}

std::string ListedFile::stem() const {
  return name.substr(0, dot_of(name));
}

Result<std::vector<ListedFile>> list_files(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  if (!open) return not_listed(folder);
  std::vector<ListedFile> files;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr && errno != 0) return not_listed(folder);
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::string path = folder + "/" + name;
    const auto kind = kind_of(*entry, path);
    if (!kind && kind.error().code == ErrorCode::not_found) continue;
    if (!kind) return tl::unexpected(kind.error());
    files.push_back({name, std::move(path), *kind});
  }
  std::sort(files.begin(), files.end(),
            [](const ListedFile& a, const ListedFile& b) { return a.name < b.name; });
  return files;
}

Result<std::vector<ListedFile>> list_tree(const std::string& folder) {
  auto top = list_files(folder);
  if (!top) return top;
  std::vector<ListedFile> files;
  // An explicit stack: the depth of folders is not bounded.
  std::vector<ListedFile> left(top->rbegin(), top->rend());
  while (!left.empty()) {
    files.push_back(std::move(left.back()));
    left.pop_back();
    if (files.back().kind != FileKind::folder) continue;
    const auto below = list_files(files.back().path);
    if (!below && below.error().code == ErrorCode::not_found) continue;
    if (!below) return tl::unexpected(below.error());
    left.insert(left.end(), below->rbegin(), below->rend());
  }
  return files;
}

}  // namespace base
