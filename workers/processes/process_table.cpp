// Rows are parsed from /proc/<pid>/stat; a signal goes through a pidfd once the start time was
// compared.
#include "workers/processes/process_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <charconv>

#include "eventlog/base/unique_fd.hpp"
#include "workers/processes/pidfd.hpp"
#include "workers/processes/system_failure.hpp"

namespace processes {
namespace {

constexpr std::size_t kStatBytesMax = 4096;                // a stat line is some 300 bytes
constexpr std::size_t kEnvironBytesMax = 4 * 1024 * 1024;  // twice what execve accepts by default
// A tree that still grows after this many rounds of stopping is killed as far as it is known; the
// caller comes again.
constexpr int kStopRoundsMax = 64;

std::optional<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return std::nullopt;
  std::string out;
  char chunk[4096];
  while (out.size() < bytes_max) {
    const ssize_t count = ::read(fd.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    out.append(chunk, static_cast<std::size_t>(count));
  }
  return out;
}

template <class T>
bool take_number(ByteView& in, T& out) {
  while (!in.empty() && in.front() == ' ') in.remove_prefix(1);
  const auto [end, error] = std::from_chars(in.data(), in.data() + in.size(), out);
  if (error != std::errc{}) return false;
  in.remove_prefix(static_cast<std::size_t>(end - in.data()));
  return in.empty() || in.front() == ' ' || in.front() == '\n';
}

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

bool contains(const ProcessTable& table, const ProcessRow& row) {
  return std::any_of(table.begin(), table.end(),
                     [&](const ProcessRow& other) { return other.is_same(row); });
}

}  // namespace

ProcessTable kill_selected(const std::function<ProcessTable(const ProcessTable&)>& select) {
  ProcessTable stopped;
  for (int round = 0; round < kStopRoundsMax; ++round) {
    const std::size_t known = stopped.size();
    for (const ProcessRow& row : select(all_processes())) {
      if (row.has_ended() || contains(stopped, row)) continue;
      signal_process(row, SIGSTOP);
      stopped.push_back(row);
    }
    if (stopped.size() == known) break;
  }
  for (const ProcessRow& row : stopped) signal_process(row, SIGKILL);
  return stopped;
}

// The line is "pid (name) state ppid pgrp session …", with the start time in field 22 (proc(5)).
// The name can hold spaces and brackets, so the fields are counted from the last bracket.
Result<ProcessRow> parse_stat(ByteView stat) {
  const auto invalid = [] { return base::failure(base::ErrorCode::invalid, "not a stat line"); };
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == ByteView::npos || close == ByteView::npos || close < open) return invalid();
  ProcessRow row;
  ByteView head = stat.substr(0, open);
  if (!take_number(head, row.pid) || row.pid <= 0) return invalid();
  row.name = stat.substr(open + 1, close - open - 1);
  ByteView rest = stat.substr(close + 1);
  if (rest.size() < 3 || rest[0] != ' ') return invalid();
  row.state = rest[1];
  rest.remove_prefix(2);
  pid_t group = 0;
  if (!take_number(rest, row.parent) || !take_number(rest, group) ||
      !take_number(rest, row.session)) {
    return invalid();
  }
  for (int field = 7; field < 22; ++field) {
    // Flags and counters take 64 bits unsigned; the terminal's group can be -1.
    std::int64_t below_zero = 0;
    std::uint64_t number = 0;
    ByteView as_negative = rest;
    if (take_number(rest, number)) continue;
    if (!take_number(as_negative, below_zero)) return invalid();
    rest = as_negative;
  }
  if (!take_number(rest, row.start_ticks)) return invalid();
  return row;
}

Result<ProcessRow> read_process(pid_t pid) {
  const auto stat = read_file(proc_path(pid, "stat"), kStatBytesMax);
  if (!stat) return base::failure(base::ErrorCode::not_found, "no such process");
  return parse_stat(*stat);
}

ProcessTable all_processes() {
  ProcessTable table;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return table;
  while (const dirent* entry = ::readdir(folder)) {
    ByteView name(entry->d_name);
    pid_t pid = 0;
    if (!take_number(name, pid) || !name.empty()) continue;
    auto row = read_process(pid);
    if (row) table.push_back(*std::move(row));
  }
  ::closedir(folder);
  return table;
}

ProcessTable descendants_of(pid_t root, const ProcessTable& table) {
  ProcessTable found;
  std::vector<pid_t> parents{root};
  for (std::size_t next = 0; next < parents.size(); ++next) {
    for (const ProcessRow& row : table) {
      // A table is no snapshot: a pid that was used twice meanwhile must not make this loop
      // endless.
      if (row.parent != parents[next] || row.pid == root || contains(found, row)) continue;
      found.push_back(row);
      parents.push_back(row.pid);
    }
  }
  return found;
}

std::string environment_of(pid_t pid) {
  return read_file(proc_path(pid, "environ"), kEnvironBytesMax).value_or("");
}

std::optional<std::string> value_of(std::string_view key, ByteView environment) {
  ByteView rest = environment;
  while (!rest.empty()) {
    const ByteView entry = rest.substr(0, rest.find('\0'));
    if (entry.size() > key.size() && entry.starts_with(key) && entry[key.size()] == '=') {
      return std::string(entry.substr(key.size() + 1));
    }
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
  }
  return std::nullopt;
}

bool signal_process(const ProcessRow& row, int signal) {
  const base::UniqueFd handle(::pidfd_open(row.pid, 0));
  if (!handle.is_open()) return false;
  // The handle now names one process for good; the start time tells whether it is the right one.
  const auto current = read_process(row.pid);
  if (!current || !current->is_same(row)) return false;
  return ::pidfd_send_signal(handle.get(), signal, nullptr, 0) == 0;
}

}  // namespace processes
