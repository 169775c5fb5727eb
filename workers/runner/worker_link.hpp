// The worker's connection to the server: HELLO, registration, heartbeats, reports out, directives
// and acknowledgements in. It survives the server: while nothing answers it tries again, and the
// agents go on.
#pragma once

#include "bus/frames.hpp"
#include "workers/runner/agent_runner.hpp"

namespace workers {

struct WorkerLinkOptions {
  base::Duration heartbeat_interval = std::chrono::milliseconds(500);
  base::Duration greet_interval = std::chrono::milliseconds(100);  // until the server welcomes it
  // Nothing heard, or nothing done, for so long: the connection is made anew. A server says after
  // which time it gives a silent worker up, and this is made less, so that no directive of a lost
  // lease is obeyed.
  base::Duration silence_max = std::chrono::seconds(3);
  base::Duration orphan_grace = std::chrono::minutes(30);  // without a server; then all is ended
  base::Duration resend_after = std::chrono::seconds(2);   // reports that nobody acknowledged

  // Shortens what must be shorter than `server_limit`, after which the server gives a worker up.
  void give_up_before(base::Duration server_limit);
};

class WorkerLink {
 public:
  struct Ports {  // outlive the link
    base::Clock& clock;
    bus::ClientSocket& socket;
  };
  // `worker` outlives the link; `id` names this life of the process.
  WorkerLink(AgentRunner& worker, Ports ports, base::WorkerId id, std::int64_t pid,
             WorkerLinkOptions options);

  // Receives, sends, and runs the worker. True when anything was done. It reads the clock behind
  // what it receives, so that frames which waited while the process was stopped are known as such,
  // wherever in the cycle that was.
  bool do_work();

  bool is_registered() const { return is_registered_; }
  // When do_work() is due although nothing was received.
  base::Duration deadline() const { return next_heartbeat_; }

 private:
  static constexpr std::size_t kFramesPerCycle = 256;

  std::vector<base::Bytes> receive();
  void greet();
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
  WorkerLinkOptions options_;  // as the server that it is with needs them
  bool is_registered_ = false;
  bool is_orphaned_ = false;     // the grace is over; the agents have been told to end
  base::Duration worked_at_{0};  // the last reading of the clock
  base::Duration last_heard_{0};
  base::Duration connected_at_{0};    // when the connection was last made anew
  base::Duration next_heartbeat_{0};  // or HELLO
  base::Duration last_ack_{0};        // or the last time that nothing waited for one
};

}  // namespace workers
