// Resets a counter that was raised far enough.
#pragma once

#include "workers/reactors/reactor.hpp"
#include "workers/reactors/side_work.hpp"

namespace workers {

class CounterResetter final : public Reactor {
 public:
  static constexpr std::int64_t kRaisedFar = 10;  // in one step: two digits

  // Both outlive it. The digits are counted beside the loop, on a lane of its own.
  CounterResetter(CommandLoop& commands, base::Random& random, std::unique_ptr<Lane> lane)
      : resets_(commands, random, "resetter", [](StreamKey&&, const CommandOutcome&) {}),
        digits_(std::move(lane), [](const Raised& raised) -> Counted {
          return {raised.counter, std::to_string(raised.by).size()};
        }) {}

  void restore(const projections::StreamUnderWay& stream) override {
    restored += stream.stream.is<domain::CounterStream>() ? 1 : 0;
  }

  void on_durable(const domain::RecordedEvent& event) override {
    const auto* raised = event.event.as<domain::CounterRaised>();
    const auto stream = domain::parse_stream(event.envelope.stream);
    if (raised == nullptr || !stream) return;
    digits_.submit({{stream->id, stream->agent}, raised->by});
  }
  bool do_work(const Cycle& cycle) override {
    const auto counted = digits_.poll();
    if (!counted) return false;
    if (counted->digits < 2) return true;
    resets_.send(counted->counter, domain::CounterCommand(domain::ResetCounter{}), cycle.now,
                 counted->counter);
    return true;
  }
  std::vector<int> wake_fds() const override { return {digits_.wake_fd()}; }

  int restored = 0;  // counters that were under way

 private:
  struct Raised {
    StreamKey counter;
    std::int64_t by = 0;
  };
  struct Counted {
    StreamKey counter;
    std::size_t digits = 0;
  };

  Outgoing<StreamKey> resets_;
  Jobs<Raised, Counted> digits_;
};

}  // namespace workers
