// The worker's connection to the server: HELLO, registration, heartbeats, reports out, directives
// and acknowledgements in. It survives the server: while nothing answers it tries again, and the
// agents go on.
#pragma once

#include "bus/frames.hpp"
#include "workers/engine_worker.hpp"

namespace workers {

struct WorkerLinkOptions {
  base::Duration heartbeat_interval = std::chrono::milliseconds(500);
  base::Duration greet_interval = std::chrono::milliseconds(100);  // until the server welcomes it
  // Nothing heard, or nothing done, for so long: the connection is made anew. Less than the time
  // after which the server gives a silent worker up, so that no directive of a lost lease is
  // obeyed.
  base::Duration silence_max = std::chrono::seconds(3);
  base::Duration orphan_grace = std::chrono::minutes(30);  // without a server; then all is ended
  base::Duration resend_after = std::chrono::seconds(2);   // reports that nobody acknowledged
};

class WorkerLink {
 public:
  // References outlive the link. `worker` names this life of the process.
  WorkerLink(EngineWorker& worker, bus::ClientSocket& socket, base::WorkerId id, std::int64_t pid,
             WorkerLinkOptions options);

  // Receives, sends, and runs the worker. True when anything was done. `now`: boot time.
  bool do_work(base::Duration now);

  bool is_registered() const { return is_registered_; }
  // When do_work() is due although nothing was received.
  base::Duration deadline() const { return next_heartbeat_; }

 private:
  void greet();
  void reconnect(base::Duration now);
  void take_frame(const bus::Frame& frame, base::Duration now);
  bool send_reports();
  bool send(std::string_view verb, base::RawValue body);

  EngineWorker& worker_;
  bus::ClientSocket& socket_;
  const base::WorkerId id_;
  const std::int64_t pid_;
  const WorkerLinkOptions options_;
  bool is_registered_ = false;
  bool is_orphaned_ = false;     // the grace is over; the agents have been told to end
  base::Duration worked_at_{0};  // the last call of do_work
  base::Duration last_heard_{0};
  base::Duration connected_at_{0};    // when the connection was last made anew
  base::Duration next_heartbeat_{0};  // or HELLO
  base::Duration last_ack_{0};        // or the last time that nothing waited for one
};

}  // namespace workers
