// An agent process as an engine sees it: frames out, bytes in, one end. The port has a real
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
#include "workers/processes/framer.hpp"
#include "workers/processes/keeper_protocol.hpp"
#include "workers/processes/launch_plan.hpp"

namespace processes {

using base::Bytes;
using base::ByteView;
using base::Result;

// Names the session in the environment of its whole process tree, so that processes that outlive
// both worker and keeper can be found (orphan_reaper.hpp).
inline constexpr std::string_view kSessionMarker = "STENO_SESSION";
inline constexpr std::string_view kLockMarker = "STENO_LOCK";

// The agent runs. Comes before every frame.
struct ProcessStarted {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // field 22 of /proc/<pid>/stat: with the pid, its identity
  bool operator==(const ProcessStarted&) const = default;
};

// The agent never ran. This is the last event.
struct StartFailed {
  StartFailure reason = StartFailure::keeper_lost;
  std::string text;
  bool operator==(const StartFailed&) const = default;
};

// The agent exited and its whole process tree is gone; the session's lock is free. This is the last
// event, after every frame.
struct ProcessExited {
  std::int64_t code = -1;        // -1 when a signal ended it
  std::int64_t signal = 0;       // 0 when it exited by itself; 9 also when its keeper was killed
  std::int64_t left_behind = 0;  // members that SIGKILL did not end in time, practically always 0
  Bytes stderr_tail;             // the last 2 KiB, any bytes
  bool operator==(const ProcessExited&) const = default;
};

using ProcessEvent = std::variant<ProcessStarted, StartFailed, Frame, ProcessExited>;

// A descriptor, and what to poll it for. Owned by the process; valid until the next call on it.
struct PollWish {
  int fd = -1;
  bool wants_read = false;
  bool wants_write = false;
};

class AgentProcess {
 public:
  virtual ~AgentProcess() = default;

  // Writes bytes to stdin, and queues what the pipe does not take. Errors: `busy` while the queue
  // has no room for all of them, `too_large` when it never will, `unreachable` after close_stdin()
  // or when nobody reads the agent's stdin any more.
  virtual Result<void> write(ByteView bytes) = 0;
  // Closes stdin once the queued bytes are written.
  virtual void close_stdin() = 0;
  // Sends SIGTERM to the agent process, then SIGKILL to its whole tree if it still lives after the
  // grace, which is a day at most.
  virtual void terminate(std::chrono::milliseconds grace) = 0;
  // Sends SIGKILL to the whole tree.
  virtual void kill() = 0;
  // False stops reading stdout, so that the agent blocks once its pipe is full. The end of a
  // process is reported only after the rest of its output was read.
  virtual void set_reading(bool is_reading) = 0;

  virtual std::vector<PollWish> poll_wishes() const = 0;
  // Does a bounded amount of work without waiting. Call it when a wish comes true, and at least
  // once a second. `now`: boot time.
  virtual void pump(base::Duration now) = 0;
  // Returns the events since the last call. Reading pauses while more than 1 MiB waits here.
  virtual std::vector<ProcessEvent> take_events() = 0;
};

// How an agent is started under its keeper. The markers are added to its environment.
struct KeeperPlan {
  LaunchPlan agent;
  std::string keeper;     // path of steno-keeper
  std::string lock_file;  // absolute; its folder exists
  std::string workdir;    // the agent's working folder
  base::SessionId session;
  // The most that waits for stdin. A caller whose prompts can be larger must set more.
  std::size_t stdin_buffer_max = 16 * 1024 * 1024;
  // The largest line seen in recordings is a tool result of some MiB. An image has at most 5 MiB, 7
  // MiB in base 64.
  std::size_t frame_bytes_max = 16 * 1024 * 1024;
};

// Starts a keeper and, under it, the agent. Returns at once; an event tells whether the agent runs.
// Errors: `invalid` when the plan makes no sense, `not_found` or `io` when no keeper can be
// started. The caller must have become a sub-reaper, or the death of a keeper leaves orphans.
// Destroying the process before its last event kills its tree. It can block until the keeper has
// done so, 2 s at most.
Result<std::unique_ptr<AgentProcess>> spawn_under_keeper(const KeeperPlan& plan);

// Makes this process the parent of every orphan below it. Call it once, at the start of a worker.
// The worker must start nothing but keepers in a session of their own (setsid), because it takes
// any other such child for an orphan of a dead keeper.
Result<void> become_subreaper();

}  // namespace processes
