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
    w = {};
    w.agent = e.agent;
    w.key = e.key;
    w.lane = e.lane;
    w.parent = e.parent;
    w.place = ++s.places_given;
    w.since = envelope.log_time;
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

LaneWork* running(LanesState& s, SessionId conversation) {
  const auto work = s.works.find(conversation);
  return work == s.works.end() || !work->second.run ? nullptr : &work->second;
}

bool apply(LanesState& s, const Envelope&, const LaneHeld& e) {
  LaneWork* work = running(s, e.conversation);
  if (work == nullptr) return false;
  work->is_held = e.is_held;
  return true;
}

bool apply(LanesState& s, const Envelope&, const LaneExpires& e) {
  LaneWork* work = running(s, e.conversation);
  if (work == nullptr) return false;
  work->expires_behind = e.at;
  return true;
}

bool apply(LanesState& s, const Envelope&, const SteerOffered& e) {
  LaneWork* work = running(s, e.conversation);
  if (work == nullptr) return false;
  work->steers.push_back({e.message, e.is_kept});
  return true;
}

bool apply(LanesState& s, const Envelope&, const SteerSettled& e) {
  LaneWork* work = running(s, e.conversation);
  if (work == nullptr) return false;
  const auto steer = std::find_if(work->steers.begin(), work->steers.end(), [&](const Steer& one) {
    return one.message == e.message && !one.is_taken;
  });
  if (steer == work->steers.end()) return false;
  if (!e.is_taken)
    work->steers.erase(steer);
  else
    steer->is_taken = true;
  return true;
}

bool apply(LanesState& s, const Envelope&, const SessionLeft& e) {
  return s.left.emplace(e.session, e.agent).second;
}

bool apply(LanesState& s, const Envelope&, const LeftSessionSettled& e) {
  return s.left.erase(e.session) == 1;
}

}  // namespace

void evolve(LanesState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<LanesEvents>(state, envelope, event,
                            [&](const auto& fact) { return apply(state, envelope, fact); });
}

std::vector<SessionId> next_in_lanes(const LanesState& state, const LaneLimits& limits, Time now) {
  std::array<std::int64_t, kLanes> free = limits;
  std::vector<std::pair<std::int64_t, SessionId>> line;
  for (const auto& [conversation, work] : state.works) {
    if (work.run && !work.is_held) --free[static_cast<std::size_t>(work.lane)];
    if (!work.run && work.due <= now) line.emplace_back(work.place, conversation);
  }
  std::sort(line.begin(), line.end());
  std::vector<SessionId> next;
  for (const auto& [place, conversation] : line) {
    const Lane lane = state.works.at(conversation).lane;
    if (free[static_cast<std::size_t>(lane)]-- > 0) next.push_back(conversation);
  }
  return next;
}

bool has_turn(const LanesState& state, SessionId conversation, const LaneLimits& limits, Time now) {
  const auto next = next_in_lanes(state, limits, now);
  return std::find(next.begin(), next.end(), conversation) != next.end();
}

}  // namespace domain
