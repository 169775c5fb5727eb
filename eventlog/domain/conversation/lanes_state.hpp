// The state of the lanes: the conversations that have work, and no others.
#pragma once

#include <array>
#include <map>
#include <string>

#include "eventlog/base/boxed_optional.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/conversation/lane_events.hpp"

namespace domain {

// So many runs of a lane can be under way at once, by Lane.
using LaneLimits = std::array<std::int64_t, kLanes>;
constexpr LaneLimits kLaneLimits = {4, 8, 1};

// What a conversation has to run, or runs.
struct LaneWork {
  std::string agent;
  std::string key;
  Lane lane = Lane::main;
  std::int64_t place = 0;  // in the line: the lower one goes first
  Time since;              // log time since which it waits, or runs
  Time due;                // as LaneAwaited has it, and so have the next two
  Time expires;
  Position oldest;
  base::Boxed<ConversationRun> run;  // none: it waits

  bool operator==(const LaneWork&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &LaneWork::agent);
    visit("key", &LaneWork::key);
    visit("lane", &LaneWork::lane);
    visit("place", &LaneWork::place);
    visit("since", &LaneWork::since);
    visit("due", &LaneWork::due);
    visit("expires", &LaneWork::expires);
    visit("oldest", &LaneWork::oldest);
    visit("run", &LaneWork::run);
  }
};

struct LanesState {
  std::map<SessionId, LaneWork> works;  // by conversation
  std::int64_t places_given = 0;
  Position inconsistent;

  bool operator==(const LanesState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("works", &LanesState::works);
    visit("places_given", &LanesState::places_given);
    visit("inconsistent", &LanesState::inconsistent);
  }
};

void evolve(LanesState& state, const Envelope& envelope, const Event& event);

// Returns how many runs of the lane are under way.
std::int64_t running(const LanesState& state, Lane lane);
// True if the conversation's run could begin now, log time: it is due, and a place is free that
// nobody before it waits for.
bool has_turn(const LanesState& state, SessionId conversation, const LaneLimits& limits, Time now);

}  // namespace domain
