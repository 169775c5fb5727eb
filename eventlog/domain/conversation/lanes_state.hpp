// The state of the lanes: the conversations that have work, the sessions that they have left, and
// no others.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "eventlog/base/boxed_optional.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/conversation/lane_events.hpp"

namespace domain {

// So many runs of a lane can be under way at once, by Lane.
using LaneLimits = std::array<std::int64_t, kLanes>;
constexpr LaneLimits kLaneLimits = {4, 8, 1};

// A message that is for the turn under way.
struct Steer {
  Position message;
  bool is_kept = false;   // as MessageSteered has it
  bool is_taken = false;  // by the session

  bool operator==(const Steer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("message", &Steer::message);
    visit("kept", &Steer::is_kept);
    visit("taken", &Steer::is_taken);
  }
};

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
  bool is_held = false;              // the run, as LaneHeld has it
  Time expires_behind;               // as LaneExpires has it
  std::vector<Steer> steers;         // oldest first
  std::string parent{};              // as LaneAwaited has it

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
    visit("held", &LaneWork::is_held);
    visit("expires_behind", &LaneWork::expires_behind);
    visit("steers", &LaneWork::steers);
    visit("parent", &LaneWork::parent);
  }
};

struct LanesState {
  std::map<SessionId, LaneWork> works;    // by conversation
  std::map<SessionId, std::string> left;  // sessions that are to end, with their agents
  std::int64_t places_given = 0;
  Position inconsistent;

  bool operator==(const LanesState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("works", &LanesState::works);
    visit("left", &LanesState::left);
    visit("places_given", &LanesState::places_given);
    visit("inconsistent", &LanesState::inconsistent);
  }
};

void evolve(LanesState& state, const Envelope& envelope, const Event& event);

// Returns the conversations whose runs could begin now, log time, in their order: they are due, and
// places are free that nobody before them waits for.
std::vector<SessionId> next_in_lanes(const LanesState& state, const LaneLimits& limits, Time now);
// True if the conversation's run could begin now, log time: it is due, and a place is free that
// nobody before it waits for.
bool has_turn(const LanesState& state, SessionId conversation, const LaneLimits& limits, Time now);

}  // namespace domain
