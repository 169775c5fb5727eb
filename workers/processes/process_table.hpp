// Lists processes with parent and start time from /proc, and sends signals that cannot hit another
// process which got the same pid later. Plain POSIX: shared with the keeper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace processes {

using base::ByteView;
using base::Result;

// The name under which the kernel shows a keeper; it tells keepers from the agents' trees.
inline constexpr std::string_view kKeeperName = "steno-keeper";

struct ProcessRow {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';               // 'Z': ended, and its parent has not reaped it yet
  std::uint64_t start_ticks = 0;  // since boot; with the pid it identifies the process
  std::string name;               // of the program, 15 bytes at most; the process can change it

  bool has_ended() const { return state == 'Z' || state == 'X'; }
  bool is_same(const ProcessRow& other) const {
    return pid == other.pid && start_ticks == other.start_ticks;
  }
};

using ProcessTable = std::vector<ProcessRow>;

// Parses one /proc/<pid>/stat from any bytes; error: `invalid` unless they have that form.
Result<ProcessRow> parse_stat(ByteView stat);

// Error `not_found`: there is no such process.
Result<ProcessRow> read_process(pid_t pid);

// Returns all processes that could be read; processes can come and go meanwhile.
ProcessTable all_processes();

// Returns children, their children, and so on, also those that have ended; not `root` itself.
ProcessTable descendants_of(pid_t root, const ProcessTable& table);

// Returns the environment that the process was started with, as in environ(7) with NUL bytes
// between entries. It is empty when it cannot be read or was cleared. It is also empty for a moment
// while the process becomes another program (execve).
std::string environment_of(pid_t pid);
// Returns the value of a name in such an environment; none when it is missing.
std::optional<std::string> value_of(std::string_view key, ByteView environment);

// Signals exactly the process of this row. Returns false when it is gone or cannot be signalled.
bool signal_process(const ProcessRow& row, int signal);

// Kills every process that `select` picks, from fresh tables until it picks no new one. All are
// stopped before the first is killed, so that none can start another meanwhile. Returns those it
// selected; they can need a moment to be gone. Does not wait for them.
ProcessTable kill_selected(const std::function<ProcessTable(const ProcessTable&)>& select);

}  // namespace processes
