// Finds the aggregate of a stream by its name.
#include "workers/reactors/streams_under_way.hpp"

namespace workers {
namespace {

template <class A>
void add_needed(const UnderWay<A>& streams, std::vector<NeededEvents>& needed) {
  if constexpr (requires(const typename UnderWay<A>::Part& part) { A::needs_events_from(part); }) {
    for (const auto& [key, part] : streams.all()) {
      const base::Position from = A::needs_events_from(part);
      if (A::is_under_way(part) && from.value > 0) {
        needed.push_back({{A::kPattern, key.agent, key.id}, from});
      }
    }
  }
}

}  // namespace

void StreamsUnderWay::restore(const projections::StreamUnderWay& one) {
  domain::use_aggregate(one.stream, [&]<class A>() {
    if constexpr (domain::CanBeUnderWay<A>) {
      std::get<UnderWay<A>>(all_).restore(one.stream, std::get<typename A::State>(one.state));
    }
  });
}

void StreamsUnderWay::fold(const domain::RecordedEvent& event) {
  std::apply([](auto&... streams) { (streams.forget_ended(), ...); }, all_);
  const auto stream = domain::parse_stream(event.envelope.stream);
  if (!stream) return;
  domain::use_aggregate(*stream, [&]<class A>() {
    if constexpr (domain::CanBeUnderWay<A>) std::get<UnderWay<A>>(all_).fold(*stream, event);
  });
}

std::vector<NeededEvents> StreamsUnderWay::needed() const {
  std::vector<NeededEvents> needed;
  std::apply([&](const auto&... streams) { (add_needed(streams, needed), ...); }, all_);
  return needed;
}

}  // namespace workers
