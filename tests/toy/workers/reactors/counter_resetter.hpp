// Resets a counter that was raised far enough.
#pragma once

#include "workers/reactors/reactor.hpp"

namespace workers {

class CounterResetter final : public Reactor {
 public:
  static constexpr std::int64_t kRaisedFar = 10;  // in one step

  // Both outlive it.
  CounterResetter(CommandLoop& commands, base::Random& random)
      : commands_(commands), random_(random) {}

  void on_durable(const domain::RecordedEvent& event) override {
    const auto* raised = std::get_if<domain::CounterRaised>(&event.event);
    const auto stream = domain::parse_stream(event.envelope.stream);
    if (raised == nullptr || raised->by < kRaisedFar || !stream) return;
    CommandMessage message;
    message.id = base::CommandId::make(event.envelope.log_time, random_);
    message.agent = stream->agent;
    message.stream_id = stream->id;
    message.actor_kind = domain::ActorKind::server;
    message.actor = "resetter";
    message.causation = event.envelope.event;
    message.command = domain::CounterCommand(domain::ResetCounter{});
    commands_.submit({this, 0}, std::move(message));
  }

 private:
  CommandLoop& commands_;
  base::Random& random_;
};

}  // namespace workers
