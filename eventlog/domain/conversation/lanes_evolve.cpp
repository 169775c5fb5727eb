// Folds the facts of the lanes, and says whose turn it is.
#include <algorithm>

#include "eventlog/domain/conversation/lanes_state.hpp"
#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(LanesState& s, const Envelope& envelope, const LaneAwaited& e) {
  const auto [work, is_new] = s.works.try_emplace(e.conversation);
  LaneWork& w = work->second;
  const bool is_over = w.run.has_value();
  if (is_new || is_over) {
    w = LaneWork{e.agent, e.key, e.lane, ++s.places_given, envelope.log_time, {}, {}, {}, {}};
  }
  w.due = e.due;
  w.expires = e.expires;
  w.oldest = e.oldest;
  return true;
}

bool apply(LanesState& s, const Envelope& envelope, const LaneTaken& e) {
  const auto work = s.works.find(e.conversation);
  if (work == s.works.end() || work->second.run) return false;
  work->second.run = *e.run;
  work->second.since = envelope.log_time;
  return true;
}

bool apply(LanesState& s, const Envelope&, const LaneInterrupted& e) {
  const auto work = s.works.find(e.conversation);
  if (work == s.works.end() || !work->second.run) return false;
  return work->second.run->is_to_end = true;
}

bool apply(LanesState& s, const Envelope&, const LaneLeft& e) {
  return s.works.erase(e.conversation) == 1;
}

}  // namespace

void evolve(LanesState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<LanesEvents>(state, envelope, event,
                            [&](const auto& fact) { return apply(state, envelope, fact); });
}

std::int64_t running(const LanesState& state, Lane lane) {
  return std::count_if(state.works.begin(), state.works.end(), [&](const auto& work) {
    return work.second.lane == lane && work.second.run;
  });
}

bool has_turn(const LanesState& state, SessionId conversation, const LaneLimits& limits, Time now) {
  const auto own = state.works.find(conversation);
  if (own == state.works.end() || own->second.run || own->second.due > now) return false;
  const Lane lane = own->second.lane;
  const auto is_before = [&](const auto& work) {
    const LaneWork& other = work.second;
    const bool is_in_line = !other.run && other.due <= now && other.place < own->second.place;
    return other.lane == lane && (other.run || is_in_line);
  };
  return std::count_if(state.works.begin(), state.works.end(), is_before) <
         limits[static_cast<std::size_t>(lane)];
}

}  // namespace domain
