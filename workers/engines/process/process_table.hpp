// Which processes exist, whose children they are and since when, read from /proc; and signals that
// cannot hit a stranger who was given the same pid later. Plain POSIX: shared with the keeper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace engines {

using base::ByteView;
using base::Result;

// The name under which the kernel shows a keeper; agents' trees are told from keepers by it.
inline constexpr std::string_view kKeeperName = "steno-keeper";

struct ProcessRow {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';               // 'Z': has ended and waits for its parent to take note
  std::uint64_t start_ticks = 0;  // since boot; with the pid it names one process for ever
  std::string name;               // of the program, 15 bytes at most, chosen by the process itself

  bool has_ended() const { return state == 'Z' || state == 'X'; }
  bool is_same(const ProcessRow& other) const {
    return pid == other.pid && start_ticks == other.start_ticks;
  }
};

using ProcessTable = std::vector<ProcessRow>;

// Reads one /proc/<pid>/stat. Any bytes are allowed: `invalid` unless they have that form.
Result<ProcessRow> parse_stat(ByteView stat);

// `not_found` when there is no such process.
Result<ProcessRow> read_process(pid_t pid);

// All processes that could be read; a process may come or go meanwhile.
ProcessTable all_processes();

// Children, their children, and so on, those that have ended included; not `root` itself.
ProcessTable descendants_of(pid_t root, const ProcessTable& table);

// The environment the process was started with, as in environ(7) with NUL bytes between entries.
// Empty when it may not be read, has been cleared, or when the process is just becoming another
// program (execve): it then has its environment a moment later.
std::string environment_of(pid_t pid);
// The value of a name in such an environment; nothing when it is missing.
std::optional<std::string> value_of(std::string_view key, ByteView environment);

// Signals exactly the process of this row. False when it is gone or must not be signalled.
bool signal_process(const ProcessRow& row, int signal);

// Kills every process that `select` picks, again and again from fresh tables until it picks nobody
// new. All are stopped before the first is killed, so that none can start another meanwhile.
// Returns those it signalled; they may need a moment to be gone. Does not wait for them.
ProcessTable kill_selected(const std::function<ProcessTable(const ProcessTable&)>& select);

}  // namespace engines
