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
  Time due;              // log time from which on the run can begin
  Time expires;          // wall time at which the first message expires; 0: none does
  Position oldest;       // of the first text or file that the run needs
  std::string parent{};  // key of the conversation that has given the task; empty: none has

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
    visit("parent", &LaneAwaited::parent);
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

// The first of the messages that wait behind the run is too late then.
struct LaneExpires {
  static constexpr std::string_view kType = "LaneExpires";
  SessionId conversation;
  Time at;  // wall time; 0: none is ever too late

  bool operator==(const LaneExpires&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &LaneExpires::conversation);
    visit("at", &LaneExpires::at);
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

// The conversation's run waits for a person, or for a limit, and takes no place meanwhile; or it
// goes on.
struct LaneHeld {
  static constexpr std::string_view kType = "LaneHeld";
  SessionId conversation;
  bool is_held = false;

  bool operator==(const LaneHeld&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &LaneHeld::conversation);
    visit("held", &LaneHeld::is_held);
  }
};

// A message came that is for the turn under way: its session is asked to take it.
struct SteerOffered {
  static constexpr std::string_view kType = "SteerOffered";
  SessionId conversation;
  Position message;
  bool is_kept = false;  // as MessageSteered has it

  bool operator==(const SteerOffered&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &SteerOffered::conversation);
    visit("message", &SteerOffered::message);
    visit("kept", &SteerOffered::is_kept);
  }
};

// The session has taken it, and gives it to the agent while the turn lasts; or it waits as others
// do.
struct SteerSettled {
  static constexpr std::string_view kType = "SteerSettled";
  SessionId conversation;
  Position message;
  bool is_taken = false;

  bool operator==(const SteerSettled&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &SteerSettled::conversation);
    visit("message", &SteerSettled::message);
    visit("taken", &SteerSettled::is_taken);
  }
};

// A conversation is in that session no more, which is to end with what it does.
struct SessionLeft {
  static constexpr std::string_view kType = "SessionLeft";
  SessionId session;
  std::string agent;

  bool operator==(const SessionLeft&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionLeft::session);
    visit("agent", &SessionLeft::agent);
  }
};

// It has ended, was never opened, or the conversation is back in it.
struct LeftSessionSettled {
  static constexpr std::string_view kType = "LeftSessionSettled";
  SessionId session;

  bool operator==(const LeftSessionSettled&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &LeftSessionSettled::session);
  }
};

using LanesEvents =
    base::Types<LaneAwaited, LaneTaken, LaneInterrupted, LaneExpires, LaneLeft, LaneHeld,
                SteerOffered, SteerSettled, SessionLeft, LeftSessionSettled>;

}  // namespace domain

template <>
struct base::EnumNames<domain::Lane> {
  static constexpr std::string_view kNames[] = {"main", "subagent", "cron"};
};
