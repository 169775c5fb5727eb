// The input and the outcome of a decision. A decision is pure: its context supplies the time, the
// limits, the names of engines, and whether the server has a key.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/rejection.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace domain {

struct Limits {
  std::int64_t max_sessions = 5;      // starting and running, over all agents
  std::int64_t queue_max = 1000;      // turns waiting in one session
  std::int64_t commands_max = 65536;  // remembered command ids of one session
  std::int64_t erased_max = 1000;     // stretches of erased events in one session
  // These hold for a session whose Spawn does not name them; 0: no limit.
  base::Duration idle_timeout{};
  base::Duration run_timeout{};
  std::int64_t repeated_calls_max = 0;
  base::Duration remind_after{};
  NanoUsd daily_budget{};  // of all sessions of one agent together, in a day of UTC; 0: no limit
  NanoUsd agent_budget{};  // likewise, over all days
  NanoUsd total_daily_budget{};  // of the sessions of all agents, in a day of UTC; 0: no limit
  // The sinks that notifications are for, by NotificationTarget.
  std::array<bool, kNotificationTargets> sinks{};
  std::int64_t told_per_minute = 0;  // notifications to one place (outbox/pacing.hpp); 0: no limit
};

// Where notifications of sessions go that name no channel: by the folder that they work in or
// below, else to the fallback.
struct ChannelRules {
  std::vector<std::pair<std::string, std::string>> folders;  // folder and channel
  std::string fallback;                                      // empty: nowhere

  // Returns the channel of the longest folder that holds `workdir`, else the fallback.
  std::string channel_of(std::string_view workdir) const;
};

struct Context {
  StreamRef target;  // the stream that the command is for
  CommandId command;
  Limits limits;
  StreamVersion version{};  // of the target
  Position head{};          // of the log's last event, as decided so far
  Time now;                 // log time
  Time wall;                // what the clock shows
  std::span<const std::string> engines;
  std::span<const std::string> injecting_engines;  // whose agents take a prompt while they work
  bool has_key = false;                            // the server can sign anchors
  const TimeZones* zones = nullptr;                // null: the server knows none
  const ChannelRules* channels = nullptr;          // null: the server has none
};

// The names of the further streams that a command reads or writes.
class Reads {
 public:
  // Adds a stream once, however often it is named.
  void add(std::string stream) {
    if (std::find(streams_.begin(), streams_.end(), stream) != streams_.end()) return;
    streams_.push_back(std::move(stream));
  }
  const std::vector<std::string>& streams() const { return streams_; }

 private:
  std::vector<std::string> streams_;
};

// The states that a decision reads: the target's, and those named by `reads` and `reads_further`.
class States {
 public:
  explicit States(const StreamState& target) : target_(target) {}
  // Both must outlive this object.
  void add(const std::string& stream, const StreamState& state) {
    further_.emplace_back(&stream, &state);
  }

  // The target must be a stream of that aggregate.
  template <class Aggregate>
  const typename Aggregate::State& target() const {
    return std::get<typename Aggregate::State>(target_);
  }
  // Returns null if the stream was not named, or is another aggregate's.
  template <class Aggregate>
  const typename Aggregate::State* find(std::string_view stream) const {
    for (const auto& [name, state] : further_) {
      if (*name == stream) return std::get_if<typename Aggregate::State>(state);
    }
    return nullptr;
  }
  // All but the target's, each with its stream's name.
  const std::vector<std::pair<const std::string*, const StreamState*>>& further() const {
    return further_;
  }

 private:
  const StreamState& target_;
  std::vector<std::pair<const std::string*, const StreamState*>> further_;
};

struct Emitted {
  std::string stream;  // one that was named; empty: the target
  Event event;
  Content content;  // an empty text: none

  bool operator==(const Emitted&) const = default;
};

// Returns a Rejection that converts to Decided.
inline tl::unexpected<Rejection> reject(RejectionCode code, std::string text) {
  return tl::unexpected(Rejection{code, std::move(text)});
}

}  // namespace domain
