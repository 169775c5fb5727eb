// The operating system's files as a Disk, and the helpers that put whole files in place. Every
// failure carries the text of errno; a full disk also says how to make room.
#include "eventlog/store/disk.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "eventlog/store/full_disk.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;

class SystemFile final : public DiskFile {
 public:
  SystemFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~SystemFile() override { ::close(fd_); }
  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;

  Result<void> write(std::size_t offset, ByteView bytes) override {
    const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count == static_cast<ssize_t>(bytes.size())) return {};
    if (count >= 0) errno = ENOSPC;  // a short write sets no errno: the disk is full
    return tl::unexpected(errno_error("cannot write", path_));
  }

  Result<void> sync() override {
    if (::fdatasync(fd_) != 0) return tl::unexpected(errno_error("cannot sync", path_));
    return {};
  }

 private:
  const int fd_;
  const std::string path_;
};

class SystemDisk final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open(const std::string& path) override {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return tl::unexpected(errno_error("cannot open", path));
    return std::make_unique<SystemFile>(fd, path);
  }

  Result<bool> make_folder(const std::string& path) override {
    if (::mkdir(path.c_str(), 0700) == 0) return true;
    if (errno == EEXIST) return false;
    base::Error error = errno_error("cannot make the folder", path);
    if (errno == ENOENT) error.code = ErrorCode::not_found;
    return tl::unexpected(std::move(error));
  }

  Result<bool> link(const std::string& from, const std::string& to) override {
    if (::link(from.c_str(), to.c_str()) == 0) return true;
    if (errno == EEXIST) return false;
    return tl::unexpected(errno_error("cannot link", to));
  }

  Result<void> rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return tl::unexpected(errno_error("cannot rename", from));
  }

  void remove_all(const std::string& path) override {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  Result<void> sync_folder(const std::string& path) override {
    return sync(path, O_RDONLY | O_DIRECTORY, false);
  }

  Result<void> settle(const std::string& path) override { return sync(path, O_RDWR, true); }

 private:
  static Result<void> sync(const std::string& path, int flags, bool drops_cache) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd < 0) return tl::unexpected(errno_error("cannot open for syncing", path));
    const bool is_synced = ::fsync(fd) == 0;
    const base::Error error = errno_error("cannot sync", path);
    if (is_synced && drops_cache) ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
    if (!is_synced) return tl::unexpected(error);
    return {};
  }
};

}  // namespace

Disk& system_disk() {
  static SystemDisk disk;
  return disk;
}

bool is_gone(const std::string& path) {
  std::error_code failed;
  return std::filesystem::symlink_status(path, failed).type() ==
         std::filesystem::file_type::not_found;
}

std::string unfinished(const std::string& path) {
  return path + ".new";
}

Result<void> write_whole(Disk& disk, const std::string& path, ByteView bytes) {
  const std::string fresh = unfinished(path);
  disk.remove_all(fresh);  // left by an earlier attempt; its bytes can be in the page cache alone
  const auto file = disk.open(fresh);
  if (!file) return tl::unexpected(file.error());
  if (auto ok = (*file)->write(0, bytes); !ok) return ok;
  if (auto ok = (*file)->sync(); !ok) return ok;
  return disk.rename(fresh, path);
}

base::Error errno_error(const std::string& what, const std::string& path) {
  const bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS;
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  std::string text = what + ": " + std::strerror(errno);
  if (is_full) text += kMakeRoom;
  return {is_refused ? ErrorCode::refused : ErrorCode::io, std::move(text), path};
}

}  // namespace eventlog
