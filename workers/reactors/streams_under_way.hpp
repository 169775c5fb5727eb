// The streams that are under way, with the part of their states that reactors need. An event is
// folded once for all reactors, before they are told of it.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "projections/start/startup_rows.hpp"
#include "workers/upkeep/needed_events.hpp"

namespace workers {

struct StreamKey {
  base::SessionId id;  // compared first: most streams have the same agent
  std::string agent;

  auto operator<=>(const StreamKey&) const = default;
};

// A stream that is not under way any more stays until the next event, so that all reactors can see
// its end. Used by one thread.
template <domain::CanBeUnderWay A>
class UnderWay {
 public:
  using Part = domain::UnderWayOf<A>;
  using All = std::map<StreamKey, Part>;

  // Takes a stream as the record had it when the server began.
  void restore(const domain::StreamRef& stream, const typename A::State& state) {
    all_.insert_or_assign({stream.id, stream.agent}, domain::under_way_of<A>(state));
  }
  // Takes a durable event of this aggregate.
  void fold(const domain::StreamRef& stream, const domain::RecordedEvent& event) {
    StreamKey key{stream.id, stream.agent};
    auto found = all_.find(key);
    if (found == all_.end()) {
      if (event.envelope.version.value != 1) return;
      found = all_.try_emplace(std::move(key)).first;
    }
    domain::evolve(found->second, event.envelope, event.event);
    changed_ = &*found;
  }
  // Call it before the next event, of whichever aggregate.
  void forget_ended() {
    if (changed_ != nullptr && !A::is_under_way(changed_->second)) {
      all_.erase(StreamKey(changed_->first));
    }
    changed_ = nullptr;
  }

  // Returns the stream that the last event was about, also if it is not under way any more; null:
  // it was about none. Valid until the next event.
  const typename All::value_type* changed() const { return changed_; }
  // Returns null if the stream is not under way.
  const Part* find(const StreamKey& key) const {
    const auto found = all_.find(key);
    const bool is_known = found != all_.end() && A::is_under_way(found->second);
    return is_known ? &found->second : nullptr;
  }
  // With the one that changed() is about, also if that is not under way any more.
  const All& all() const { return all_; }

 private:
  All all_;
  typename All::value_type* changed_ = nullptr;  // in all_
};

using SessionsUnderWay = UnderWay<domain::SessionStream>;

namespace detail {
template <class A>
struct UnderWayList {
  using Type = base::Types<>;
};
template <domain::CanBeUnderWay A>
struct UnderWayList<A> {
  using Type = base::Types<UnderWay<A>>;
};
template <class List>
struct UnderWayOfAll;
template <class... A>
struct UnderWayOfAll<base::Types<A...>> {
  using Type = base::Joined<typename UnderWayList<A>::Type...>;
};
template <class List>
struct TupleOf;
template <class... T>
struct TupleOf<base::Types<T...>> {
  using Type = std::tuple<T...>;
};
}  // namespace detail

// Used by one thread.
class StreamsUnderWay {
 public:
  void restore(const projections::StreamUnderWay& one);
  // Takes a durable event, of whichever stream.
  void fold(const domain::RecordedEvent& event);

  template <domain::CanBeUnderWay A>
  const UnderWay<A>& of() const {
    return std::get<UnderWay<A>>(all_);
  }
  // Returns the events that streams under way need, by the aggregates' needs_events_from().
  std::vector<NeededEvents> needed() const;

 private:
  detail::TupleOf<detail::UnderWayOfAll<domain::Aggregates>::Type>::Type all_;
};

}  // namespace workers
