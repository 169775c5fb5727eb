// One write appends an entry, so that a kill leaves all of it or nothing; a mark in it says whose
// it is.
#include "workers/hooks/session_memory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include "eventlog/base/unique_fd.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace workers {
namespace {

using base::UniqueFd;

constexpr const char* kFolder = "memory";
constexpr std::size_t kFilesMax = 10'000;  // further ones are not looked at
constexpr int kLockWaitMs = 20;
constexpr int kLockWaitsMax = 100;

std::string fault(std::string_view what, int error) {
  return std::string(what) + ": " + std::strerror(error);
}

std::tm local_time(base::Time at) {
  const std::time_t seconds = at.us / 1'000'000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return local;
}

std::string formatted(const std::tm& time, const char* format) {
  char text[32] = "";
  return {text, std::strftime(text, sizeof text, format, &time)};
}

bool is_day_file(std::string_view name) {
  constexpr std::string_view kForm = "0000-00-00.md";
  return name.size() == kForm.size() &&
         std::equal(name.begin(), name.end(), kForm.begin(), [](char c, char form) {
           return form == '0' ? c >= '0' && c <= '9' : c == form;
         });
}

// Opens the folder of memory. Not open: `error` says why.
UniqueFd open_memory(const std::string& folder, bool makes_it, int& error) {
  const UniqueFd outer(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  error = errno;
  if (!outer.is_open()) return {};
  if (makes_it && ::mkdirat(outer.get(), kFolder, 0777) != 0 && errno != EEXIST) {
    error = errno;
    return {};
  }
  UniqueFd inner(::openat(outer.get(), kFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  error = errno;
  return inner;
}

// Returns the name of the last day's file; empty: there is none.
std::string last_day(const UniqueFd& memory) {
  const int fd = ::openat(memory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = fd < 0 ? nullptr : ::fdopendir(fd);
  if (list == nullptr) return {};
  std::string last;
  for (std::size_t count = 0; count < kFilesMax; ++count) {
    const dirent* found = ::readdir(list);
    if (found == nullptr) break;
    if (is_day_file(found->d_name) && last < found->d_name) last = found->d_name;
  }
  ::closedir(list);
  return last;
}

// Opens a file there that is one, and has no other name, which could be outside of the folder.
UniqueFd open_file(const UniqueFd& memory, const std::string& name, int flags, int& error) {
  UniqueFd file(
      ::openat(memory.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
  error = errno;
  struct stat status {};
  if (file.is_open() &&
      (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)) {
    error = EMLINK;
    return {};
  }
  return file;
}

// Reads at most so many bytes from there on.
std::string read_from(int fd, off_t at, std::size_t bytes_max) {
  std::string text(bytes_max, '\0');
  std::size_t size = 0;
  while (size < bytes_max) {
    const ssize_t got =
        ::pread(fd, text.data() + size, bytes_max - size, at + static_cast<off_t>(size));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

// Other sessions end at the same time. Whoever else holds the lock must not hold this up.
bool lock(int fd, int stop_fd) {
  for (int i = 0; i < kLockWaitsMax; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    pollfd stop{stop_fd, POLLIN, 0};
    if (::poll(&stop, 1, kLockWaitMs) > 0) return false;
  }
  return false;
}

std::string append(int fd, const std::string& text, off_t end) {
  const ssize_t written = ::write(fd, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size()) && ::fdatasync(fd) == 0) return {};
  const int error = written < 0 || written == static_cast<ssize_t>(text.size()) ? errno : ENOSPC;
  // Without this a repetition would stand behind half of it.
  if (::ftruncate(fd, end) != 0) return fault("it is written in part", errno);
  return fault("it cannot be written", error);
}

}  // namespace

std::string keep_memory(const MemoryEntry& entry, int stop_fd) {
  const std::tm time = local_time(entry.at);
  const std::string name = formatted(time, "%Y-%m-%d") + ".md";
  int error = 0;
  const UniqueFd memory = open_memory(entry.folder, true, error);
  if (!memory.is_open()) return fault("the folder memory cannot be opened", error);
  const UniqueFd file = open_file(memory, name, O_RDWR | O_CREAT | O_APPEND, error);
  if (!file.is_open()) return fault("memory/" + name + " cannot be opened", error);
  if (!lock(file.get(), stop_fd)) return "memory/" + name + " is locked by another program";
  std::string found = entry.found;
  domain::cut_text(found, kMemoryEntryBytesMax);
  const std::string mark = "<!-- steno " + entry.step + " -->\n";
  const std::string before = read_from(file.get(), 0, kMemoryFileBytesMax);
  if (before.find(mark) != std::string::npos) return {};
  const std::string text = (before.empty() ? "## " : "\n## ") + formatted(time, "%H:%M") + " " +
                           entry.title + " " + mark + "\n" + found + "\n";
  if (before.size() + text.size() > kMemoryFileBytesMax) {
    return "memory/" + name + " would have more than 1 MiB; move it away to begin another one";
  }
  return append(file.get(), text, static_cast<off_t>(before.size()));
}

Recalled recall_memory(const std::string& folder) {
  int error = 0;
  const UniqueFd memory = open_memory(folder, false, error);
  if (!memory.is_open() && error == ENOENT) return {};
  if (!memory.is_open()) return {fault("the folder memory cannot be opened", error), {}};
  const std::string last = last_day(memory);
  if (last.empty()) return {};
  const UniqueFd file = open_file(memory, last, O_RDONLY, error);
  if (!file.is_open()) return {fault("memory/" + last + " cannot be opened", error), {}};
  const off_t size = std::max<off_t>(::lseek(file.get(), 0, SEEK_END), 0);
  const off_t from = std::max<off_t>(size - static_cast<off_t>(kMemoryToldBytesMax), 0);
  std::string text = read_from(file.get(), from, kMemoryToldBytesMax);
  if (from > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  if (text.find_first_not_of(" \n") == std::string::npos) return {};
  return {{}, "Kept in memory/" + last + " by sessions in this folder:\n\n" + text};
}

}  // namespace workers
