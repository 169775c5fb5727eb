// A reactor does a part of the work of the server that nobody asks for: it is told of facts, and
// submits commands.
#pragma once

#include <optional>

#include "bus/frames.hpp"
#include "bus/peers.hpp"
#include "workers/commands/command_loop.hpp"
#include "workers/protocol/status.hpp"

namespace workers {

// One duty cycle of the server.
struct Cycle {
  base::Time now;  // log time
  base::Time wall;
  base::Duration boot;
  Position durable;
  bool has_taken_over = false;  // the record says durably that this server has
  FlightRecorder& flight;
};

// Runs on the server's thread and never blocks. It remembers nothing that the record does not
// say, but why something could not be done; so a server that was killed at any step goes on where
// it was: begin() looks for what is under way. A command that it submits with itself as the asker
// is answered by on_answer.
class Reactor : public Asker {
 public:
  // Once, when the server's own stream is in memory and its ServerStarted is recorded at
  // `started_at`, not yet durable, before the first request.
  virtual void begin(Position started_at, std::int64_t writer_term) {
    (void)started_at, (void)writer_term;
  }
  // Every durable event, in order.
  virtual void on_durable(const domain::RecordedEvent& event) { (void)event; }
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override {
    (void)number, (void)answer;
  }
  // A client's command about the log as a whole: before it is decided, and when its outcome, with
  // all that it was computed from, is durable.
  virtual void prepare(domain::ServerCommand& command) { (void)command; }
  virtual void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) {
    (void)command, (void)outcome;
  }
  // The verb of requests that answer() answers at once; empty: there is none.
  virtual std::string_view verb() const { return {}; }
  virtual base::RawValue answer(Position durable) const { return (void)durable, base::RawValue{}; }
  // True when anything was done.
  virtual bool do_work(const Cycle& cycle) { return (void)cycle, false; }
  // Boot time when do_work() is due although nothing arrives.
  virtual base::Duration next_timer() const { return base::Duration::max(); }
  virtual void describe(StatusAnswer& status) const { (void)status; }
};

}  // namespace workers
