// The file is read through a descriptor, whose owner and mode are checked first.
#include "workers/client/server_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/list_files.hpp"
#include "eventlog/base/unique_fd.hpp"

namespace workers {
namespace {

// A path has 4,096 bytes at most, and there are two.
constexpr std::size_t kFileBytesMax = 16 << 10;

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool take_line(std::string_view key, std::string_view value, ServerPlace& place) {
  if (key == "pid") return parse_number(value, place.pid);
  if (key == "since_us") return parse_number(value, place.since.us);
  if (key == "release") place.release = value;
  if (key == "run_folder") place.run_folder = value;
  if (key == "log_file") place.log_file = value;
  if (key == "stop_max_us") {
    std::int64_t us = 0;
    if (!parse_number(value, us)) return false;
    place.stop_max = base::Duration{us};
  }
  if (key == "phase") {
    const auto phase = base::parse_enum<ServerPhase>(value);
    if (!phase) return false;
    place.phase = *phase;
  }
  return true;
}

// Returns the text of a file that only this user can have written; empty: there is none.
std::string own_text(const std::string& path) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return {};
  const bool is_own =
      S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
  if (!is_own) return {};
  std::string text(kFileBytesMax, '\0');
  const ssize_t count = ::pread(fd.get(), text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

std::optional<ServerPlace> place_of(std::string_view text) {
  ServerPlace place;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;  // cut short
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    if (!take_line(line.substr(0, blank), line.substr(blank + 1), place)) return std::nullopt;
  }
  if (place.pid <= 0 || !place.run_folder.starts_with('/')) return std::nullopt;
  return place;
}

}  // namespace

std::string encode(const ServerPlace& place) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) text.append(key).append(" ").append(value).append("\n");
  };
  add("pid", std::to_string(place.pid));
  add("phase", base::enum_name(place.phase));
  add("since_us", std::to_string(place.since.us));
  add("stop_max_us", std::to_string(place.stop_max.count()));
  add("release", place.release);
  add("run_folder", place.run_folder);
  add("log_file", place.log_file);
  return text;
}

std::string data_lock_of(const std::string& data_folder) {
  return data_folder + "/lock";
}

std::string server_place_of(const std::string& data_folder) {
  return data_folder + "/server";
}

DataHolder data_holder(const std::string& data_folder) {
  DataHolder holder;
  const std::string lock = data_lock_of(data_folder);
  if (!base::is_locked(lock).value_or(false)) return holder;
  holder.pid = base::lock_holder(lock);
  holder.place = place_of(own_text(server_place_of(data_folder)));
  if (holder.place && holder.place->pid != holder.pid) holder.place.reset();
  return holder;
}

bool has_open(std::int64_t pid, const std::string& path) {
  struct stat wanted {};
  if (::stat(path.c_str(), &wanted) != 0) return false;
  const auto files = base::list_files("/proc/" + std::to_string(pid) + "/fd");
  if (!files) return false;
  return std::any_of(files->begin(), files->end(), [&](const base::ListedFile& file) {
    struct stat open {};
    return ::stat(file.path.c_str(), &open) == 0 && open.st_dev == wanted.st_dev &&
           open.st_ino == wanted.st_ino;
  });
}

}  // namespace workers
