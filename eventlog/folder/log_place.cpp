// Compares device and inode of the log's folder and head file with those at opening, before each
// write of the head.
#include "eventlog/folder/log_place.hpp"

#include <sys/stat.h>

#include <utility>

namespace eventlog {
namespace {

class PlacedHeadFile final : public HeadFile {
 public:
  PlacedHeadFile(std::unique_ptr<HeadFile> head, LogPlace place)
      : head_(std::move(head)), place_(std::move(place)) {}

  Result<void> write(const Checkpoint& head) override {
    if (auto ok = place_.check(); !ok) return ok;
    return head_->write(head);
  }

 private:
  const std::unique_ptr<HeadFile> head_;
  LogPlace place_;
};

}  // namespace

Result<LogPlace::File> LogPlace::look_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    return File{status.st_dev, status.st_ino, status.st_nlink, status.st_ctim.tv_sec,
                status.st_ctim.tv_nsec};
  }
  return tl::unexpected(errno_error("cannot look at the log's place", path));
}

Result<LogPlace> LogPlace::of(const LogFolder& folder) {
  LogPlace place(folder);
  const std::pair<File*, std::string> files[] = {{&place.log_, folder.log()},
                                                 {&place.head_, folder.head()}};
  for (const auto& [file, path] : files) {
    const auto found = look_at(path);
    if (!found) return tl::unexpected(found.error());
    *file = *found;
  }
  return place;
}

Result<void> LogPlace::check() {
  const auto current = look_at(current_path_);
  if (!current) return tl::unexpected(lost(current_path_));
  // RocksDB replaces CURRENT with each new manifest. The folder is open, so no other folder can get
  // its inode number.
  if (!current->has_stayed(current_)) {
    if (auto ok = check_same(folder_.log(), log_); !ok) return ok;
    current_ = *current;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < head_due_) return {};
  head_due_ = now + kHeadLook;
  return check_same(folder_.head(), head_);
}

Result<void> LogPlace::check_same(const std::string& path, const File& known) const {
  const auto found = look_at(path);
  if (found && found->is_same(known)) return {};
  return tl::unexpected(lost(path));
}

base::Error LogPlace::lost(const std::string& path) const {
  return {base::ErrorCode::io,
          "the log is not where it was opened any more: " + path +
              " is gone, or is another file. Was it removed, moved, or its disk unmounted? Nothing "
              "is acknowledged from here on. Put the data folder back, or restore a backup, before "
              "you start the server again",
          folder_.root};
}

std::unique_ptr<HeadFile> watch_place(std::unique_ptr<HeadFile> head, LogPlace place) {
  return std::make_unique<PlacedHeadFile>(std::move(head), std::move(place));
}

}  // namespace eventlog
