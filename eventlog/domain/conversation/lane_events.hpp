// Facts of the lanes, on the stream $lanes: which conversations have something to run, and which
// run. There is one such stream for the server.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/conversation/conversation_run.hpp"

namespace domain {

// Runs of one lane share its places (Limits::lanes). The first conversation in the line goes first.
enum class Lane : std::uint8_t {
  main,      // of people, and whatever has no lane of its own
  subagent,  // of conversations that another one has opened
  cron,      // of schedules
};
constexpr std::size_t kLanes = 3;

// Messages of the conversation wait for its next run. Recorded again when that is due at another
// time. One that stood in the line keeps its place.
struct LaneAwaited {
  static constexpr std::string_view kType = "LaneAwaited";
  SessionId conversation;
  std::string agent;
  std::string key;  // of the conversation
  Lane lane = Lane::main;
  Time due;         // log time from which on the run can begin
  Time expires;     // wall time at which the first message expires; 0: none does
  Position oldest;  // of the first message whose text the run needs

  bool operator==(const LaneAwaited&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &LaneAwaited::conversation);
    visit("agent", &LaneAwaited::agent);
    visit("key", &LaneAwaited::key);
    visit("lane", &LaneAwaited::lane);
    visit("due", &LaneAwaited::due);
    visit("expires", &LaneAwaited::expires);
    visit("oldest", &LaneAwaited::oldest);
  }
};

// The conversation has a place in its lane, and its run begins.
struct LaneTaken {
  static constexpr std::string_view kType = "LaneTaken";
  SessionId conversation;
  base::Sparse<ConversationRun> run;

  bool operator==(const LaneTaken&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &LaneTaken::conversation);
    visit("run", &LaneTaken::run);
  }
};

// Its run is over, and its place is free; or nothing of it waits any more.
struct LaneLeft {
  static constexpr std::string_view kType = "LaneLeft";
  SessionId conversation;

  bool operator==(const LaneLeft&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &LaneLeft::conversation);
  }
};

// Somebody has asked to interrupt the conversation's run.
struct LaneInterrupted {
  static constexpr std::string_view kType = "LaneInterrupted";
  SessionId conversation;

  bool operator==(const LaneInterrupted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &LaneInterrupted::conversation);
  }
};

using LanesEvents = base::Types<LaneAwaited, LaneTaken, LaneInterrupted, LaneLeft>;

}  // namespace domain

template <>
struct base::EnumNames<domain::Lane> {
  static constexpr std::string_view kNames[] = {"main", "subagent", "cron"};
};
