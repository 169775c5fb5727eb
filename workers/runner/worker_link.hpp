// The worker's connection to the server: HELLO, registration, heartbeats, reports out, directives
// and acknowledgements in. It survives the server: while nothing answers it tries again, and the
// agents go on.
#pragma once

#include "bus/frames.hpp"
#include "eventlog/base/one_thread.hpp"
#include "workers/runner/agent_runner.hpp"

namespace workers {

struct WorkerLinkOptions {
  base::Duration heartbeat_interval = std::chrono::milliseconds(500);
  base::Duration greet_interval = std::chrono::milliseconds(100);  // until the server welcomes it
  // The connection is made anew when nothing was heard, or no work was done, for this long. A
  // server says after which time it gives up a silent worker. This is made shorter than that, so
  // that no directive of a lost lease is obeyed.
  base::Duration silence_max = std::chrono::seconds(3);
  base::Duration orphan_grace =
      std::chrono::minutes(30);  // without a server; then all agents are ended

  // Shortens the intervals that must stay below `server_limit`, after which the server gives up a
  // worker.
  void give_up_before(base::Duration server_limit);
};

class WorkerLink {
 public:
  struct Ports {  // must outlive the link
    base::Clock& clock;
    bus::ClientSocket& socket;
  };
  // `worker` must outlive the link; `id` names this life of the process.
  WorkerLink(AgentRunner& worker, Ports ports, base::WorkerId id, std::int64_t pid,
             WorkerLinkOptions options);

  // Receives, sends, and runs the worker. Returns true when anything was done. It reads the clock
  // after it receives, so that it recognises frames that waited while the process was stopped, at
  // whatever point of the cycle.
  bool do_work();

  bool is_registered() const { return is_registered_; }
  // True when a worker that leaves has nothing left to do, and the server knows, so that no lease
  // is on its way.
  bool may_leave() const { return worker_.is_idle() && (is_leaving_known_ || !is_registered_); }
  // The time at which do_work() is due even if nothing was received.
  base::Duration deadline() const { return next_heartbeat_; }

 private:
  static constexpr std::size_t kFramesPerCycle = 256;

  std::vector<base::Bytes> receive();
  void greet();
  base::RawValue registration() const;
  void reconnect(base::Duration now);
  void take_frame(const bus::Frame& frame, base::Duration now);
  bool send_reports();
  bool send(std::string_view verb, base::RawValue body);

  AgentRunner& worker_;
  base::Clock& clock_;
  bus::ClientSocket& socket_;
  const base::WorkerId id_;
  const std::int64_t pid_;
  const WorkerLinkOptions usual_;
  WorkerLinkOptions options_;  // adapted to the present server
  bool is_registered_ = false;
  bool has_told_leaving_ = false;
  bool is_leaving_known_ = false;
  bool is_orphaned_ = false;     // the grace is over; the agents were told to end
  base::Duration worked_at_{0};  // the last reading of the clock
  base::Duration last_heard_{0};
  base::Duration connected_at_{0};    // when the connection was last made anew
  base::Duration next_heartbeat_{0};  // or HELLO
  base::OneThread thread_;
};

}  // namespace workers
