// An agent process as an engine sees it: lines out, bytes in, one end. The port has a real
// implementation (a child process under a keeper) and a simulated one. Never blocks; used by one
// thread, which polls `poll_wishes()` and then calls `pump()`.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"
#include "workers/engines/process/keeper_protocol.hpp"

namespace engines {

using base::Bytes;
using base::ByteView;
using base::Result;

// Names the session of a process in the environment of its whole tree, so that what outlives both
// its worker and its keeper can be found (orphan_reaper.hpp).
inline constexpr std::string_view kSessionMarker = "STENO_SESSION";
inline constexpr std::string_view kLockMarker = "STENO_LOCK";

// The agent runs. Comes before every line.
struct ProcessStarted {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // field 22 of /proc/<pid>/stat: with the pid, its identity
  bool operator==(const ProcessStarted&) const = default;
};

// It never ran. The last event.
struct StartFailed {
  StartFailure reason = StartFailure::keeper_lost;
  std::string text;
  bool operator==(const StartFailed&) const = default;
};

enum class LineFault {
  none,
  too_long,   // cut at `line_bytes_max`; what followed up to the newline was thrown away
  cut_short,  // the output ended before its newline came
};

// One line of stdout without its newline, any bytes. Empty lines are left out.
struct Line {
  Bytes bytes;
  LineFault fault = LineFault::none;
  bool operator==(const Line&) const = default;
};

// The agent exited and its whole process tree is gone; the session's lock is free. The last event,
// after every line.
struct ProcessExited {
  std::int64_t code = -1;        // -1 when a signal ended it
  std::int64_t signal = 0;       // 0 when it exited by itself; 9 also when its keeper was killed
  std::int64_t left_behind = 0;  // members that SIGKILL did not end in time, practically always 0
  Bytes stderr_tail;             // the last 2 KiB, any bytes
  bool operator==(const ProcessExited&) const = default;
};

using ProcessEvent = std::variant<ProcessStarted, StartFailed, Line, ProcessExited>;

// A descriptor to poll, and for what. Owned by the process; valid until the next call on it.
struct PollWish {
  int fd = -1;
  bool wants_read = false;
  bool wants_write = false;
};

class AgentProcess {
 public:
  virtual ~AgentProcess() = default;

  // Queues bytes for stdin. `busy` while the queue has no room for all of them, `too_large` when it
  // never will, `unreachable` after close_stdin() or when the agent has closed it.
  virtual Result<bool> write(ByteView bytes) = 0;
  // Ends stdin behind what is queued.
  virtual void close_stdin() = 0;
  // SIGTERM to the agent process; SIGKILL to its whole tree when it still lives after the grace, a
  // day at most.
  virtual void terminate(std::chrono::milliseconds grace) = 0;
  // SIGKILL to the whole tree.
  virtual void kill() = 0;
  // False stops reading stdout, so that the agent blocks once its pipe is full. The end of a
  // process is not told before the rest of its output has been read.
  virtual void set_reading(bool is_reading) = 0;

  virtual std::vector<PollWish> poll_wishes() const = 0;
  // Does what can be done without waiting, a bounded amount of it. To be called when a wish comes
  // true, and once a second in any case. `now`: boot time.
  virtual void pump(base::Duration now) = 0;
  // What has happened since the last call. Reading pauses while more than 1 MiB waits here.
  virtual std::vector<ProcessEvent> take_events() = 0;

  // Bytes of over-long lines that were thrown away so far.
  virtual std::int64_t discarded_bytes() const = 0;
};

struct LaunchPlan {
  std::string keeper;             // path of steno-keeper
  std::string lock_file;          // absolute; its folder exists
  std::string workdir;            // the agent's working folder
  std::vector<std::string> argv;  // the program, searched in the PATH of `env`, and its arguments
  std::vector<std::string> env;   // complete, "NAME=value"; the markers are added
  base::SessionId session;
  // Eight of the largest prompts that a command may carry (1 MiB), with room for JSON escapes.
  std::size_t stdin_buffer_max = 16 * 1024 * 1024;
  // The largest line seen in recordings is a tool result of some MiB; an image is at most 5 MiB,
  // 7 MiB in base 64.
  std::size_t line_bytes_max = 16 * 1024 * 1024;
};

// Starts a keeper and, under it, the agent; returns at once, whether the agent runs comes as an
// event. Fails when the plan makes no sense (`invalid`) or no keeper can be started (`not_found`,
// `io`). The caller must have become a sub-reaper, or the death of a keeper leaves orphans.
// Destroying the process before its last event kills its tree, and may block for as long as the
// keeper needs for that, 2 s at most.
Result<std::unique_ptr<AgentProcess>> spawn_under_keeper(const LaunchPlan& plan);

// Makes this process the parent of every orphan below it. Once, at the start of a worker; such a
// worker starts nothing but keepers in a session of its own (setsid), for it takes any other such
// child for what a dead keeper has left.
Result<bool> become_subreaper();

}  // namespace engines
