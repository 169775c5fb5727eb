// A reactor does work of the server that no client asks for: it is told of facts, and submits
// commands.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "bus/frames.hpp"
#include "bus/peers.hpp"
#include "workers/protocol/status.hpp"
#include "workers/reactors/outgoing.hpp"

namespace workers {

// One duty cycle of the server.
struct Cycle {
  base::Time now;  // log time
  base::Time wall;
  base::Duration boot;
  Position durable;
  bool has_taken_over = false;  // the ServerStarted of this server is durable
  FlightRecorder& flight;
};

// Notices steps of log time, which moves with a clock that was set forward.
class StepWatch {
 public:
  // Returns by how much more log time has advanced since the last call than time has passed; 0: it
  // has advanced evenly.
  base::Duration step(const Cycle& cycle) {
    const base::Duration lead = base::Duration{cycle.now.us} - cycle.boot;
    const base::Duration by = lead - std::exchange(lead_, lead).value_or(lead);
    return by > base::kClockStepMin ? by : base::Duration{0};
  }

 private:
  std::optional<base::Duration> lead_;  // log time less boot time at the last call
};

// Runs on the server's thread and never blocks. Apart from reasons for failures, it remembers only
// what the record says. A server that was killed at any step therefore goes on where it was:
// begin() looks for work under way. It sends commands through an Outgoing. Slow work is done beside
// the loop, by a port of its own (side_work.hpp).
class Reactor {
 public:
  virtual ~Reactor() = default;

  // Called before begin() with each stream that was under way, of any aggregate. Later facts come
  // to on_durable(). StreamsUnderWay has taken stream and event before the reactors do.
  virtual void restore(const projections::StreamUnderWay& stream) { (void)stream; }
  // Called once, before the first request, when the server's own stream is in memory. Its
  // ServerStarted is recorded at `started_at`, and not durable yet.
  virtual void begin(Position started_at, std::int64_t writer_term) {
    (void)started_at, (void)writer_term;
  }
  // Called with every durable event, in order.
  virtual void on_durable(const domain::RecordedEvent& event) { (void)event; }
  // Called with a worker's message.
  virtual void on_worker(const bus::PeerId& peer, const bus::Notice& notice, base::Time now) {
    (void)peer, (void)notice, (void)now;
  }
  // Called when the server is about to end: nothing new is begun.
  virtual void drain() {}
  // Called with a client's command about the log as a whole: prepare() before it is decided,
  // on_decided() when its outcome, with all that it was computed from, is durable.
  virtual void prepare(domain::ServerCommand& command) { (void)command; }
  virtual void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) {
    (void)command, (void)outcome;
  }
  // The verb of requests that answer() answers at once; empty: none.
  virtual std::string_view verb() const { return {}; }
  // Whatever is said of the record is said from `durable`, not from the command loop's states.
  virtual base::RawValue answer(const DurableStates& durable) const {
    return (void)durable, base::RawValue{};
  }
  // Returns true when anything was done.
  virtual bool do_work(const Cycle& cycle) { return (void)cycle, false; }
  // Boot time at which do_work() is due even if nothing arrives.
  virtual base::Duration next_timer() const { return base::Duration::max(); }
  // Descriptors that become readable when its ports have something for it.
  virtual std::vector<int> wake_fds() const { return {}; }
  virtual void describe(StatusAnswer& status) const { (void)status; }
};

}  // namespace workers
