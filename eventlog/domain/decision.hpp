// The input and the outcome of a decision. A decision is pure: its context supplies the time, the
// limits, the names of engines, and whether the server has a key.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "eventlog/domain/call_matcher.hpp"
#include "eventlog/domain/content.hpp"
#include "eventlog/domain/hook_gap.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/rejection.hpp"
#include "eventlog/domain/stream_ref.hpp"
#include "eventlog/domain/time_zones.hpp"

namespace domain {

struct Limits {
  std::int64_t max_sessions = 5;   // starting and running, over all agents
  std::int64_t queue_max = 1000;   // turns waiting in one session
  std::int64_t erased_max = 1000;  // stretches of erased events in one session
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
  bool has_request_hooks = false;    // hooks are asked about approvals that people are asked for
};

inline bool has_sink(const Limits& limits, NotificationTarget target) {
  return limits.sinks[static_cast<std::size_t>(target)];
}

// Where notifications of sessions go that name no channel: by the folder that they work in or
// below, else to the fallback.
struct ChannelRules {
  std::vector<std::pair<std::string, std::string>> folders;  // folder and channel
  std::string fallback;                                      // empty: nowhere

  // Returns the channel of the longest folder that holds `workdir`, else the fallback.
  std::string channel_of(std::string_view workdir) const;
};

struct ConversationPolicy;

struct Context {
  StreamRef target;  // the stream that the command is for
  CommandId command;
  Limits limits;
  StreamVersion version{};  // of the target
  Position head{};          // of the log's last event, as decided so far
  Time now;                 // log time
  Time wall;                // what the clock shows
  std::span<const std::string> engines;
  std::span<const std::string> injecting_engines;     // whose agents take a prompt while they work
  std::span<const std::string> file_engines{};        // whose agents take files with a prompt
  std::span<const HookGap> hook_gaps;                 // for which no session can be opened
  bool has_key = false;                               // the server can sign anchors
  const TimeZones* zones = nullptr;                   // null: the server knows none
  const ChannelRules* channels = nullptr;             // null: the server has none
  const CallMatcher* calls = nullptr;                 // null: no rule answers
  const ConversationPolicy* conversations = nullptr;  // null: the settings say nothing
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

// The state of a stream, by reference, whichever aggregate's it is. It is lost when the variant
// that it was made from is assigned.
class StateRef {
 public:
  template <class... S>
  StateRef(const std::variant<S...>& state) {
    std::visit(
        [&]<class Held>(const Held& held) {
          kind_ = &kKind<Held>;
          state_ = &held;
        },
        state);
  }

  // Returns null if it is another state.
  template <class S>
  const S* as() const {
    return kind_ == &kKind<S> ? static_cast<const S*>(state_) : nullptr;
  }
  // The state must be such a one.
  template <class S>
  const S& get() const {
    require(kind_ == &kKind<S>);
    return *static_cast<const S*>(state_);
  }

 private:
  template <class S>
  static inline const char kKind = 0;
  // Aborts if it is false.
  static void require(bool is_of_kind);

  const char* kind_ = nullptr;
  const void* state_ = nullptr;
};

// The states that a decision reads: the target's, and those named by `reads` and `reads_further`.
class States {
 public:
  explicit States(StateRef target) : target_(target) {}
  // Both must outlive this object.
  void add(const std::string& stream, StateRef state) { further_.emplace_back(&stream, state); }

  // The target must be a stream of that aggregate.
  template <class Aggregate>
  const typename Aggregate::State& target() const {
    return target_.get<typename Aggregate::State>();
  }
  // Returns null if the stream was not named, or is another aggregate's.
  template <class Aggregate>
  const typename Aggregate::State* find(std::string_view stream) const {
    for (const auto& [name, state] : further_) {
      if (*name == stream) return state.template as<typename Aggregate::State>();
    }
    return nullptr;
  }
  // All but the target's, each with its stream's name.
  const std::vector<std::pair<const std::string*, StateRef>>& further() const { return further_; }

 private:
  StateRef target_;
  std::vector<std::pair<const std::string*, StateRef>> further_;
};

struct Emitted {
  std::string stream;  // one that was named; empty: the target
  Event event;
  Content content;  // an empty text: none

  bool operator==(const Emitted&) const = default;
};

// Accepted. Without events: the requested state is on the record already. Whoever emits names the
// aggregate that the stream is of; an event of another one does not compile.
class Decision {
 public:
  // Adds an event of the target.
  template <class Aggregate, class E>
  void emit(E fact) {
    add<Aggregate>({}, std::move(fact), {});
  }
  // The same, with a text; only of an aggregate whose texts can be erased.
  template <class Aggregate, class E>
  void emit(E fact, std::string text) {
    static_assert(kHasTexts<Aggregate>, "an aggregate with texts joins ContentEvents");
    add<Aggregate>({}, std::move(fact), std::move(text));
  }
  // Adds an event of another stream, which was named.
  template <class Aggregate, class E>
  void emit_to(std::string stream, E fact) {
    add<Aggregate>(std::move(stream), std::move(fact), {});
  }

  const std::vector<Emitted>& all() const { return emitted_; }
  std::vector<Emitted>::iterator begin() { return emitted_.begin(); }
  std::vector<Emitted>::iterator end() { return emitted_.end(); }
  std::vector<Emitted>::const_iterator begin() const { return emitted_.begin(); }
  std::vector<Emitted>::const_iterator end() const { return emitted_.end(); }
  const Emitted& front() const { return emitted_.front(); }
  const Emitted& back() const { return emitted_.back(); }
  const Emitted& operator[](std::size_t at) const { return emitted_[at]; }
  std::size_t size() const { return emitted_.size(); }
  bool empty() const { return emitted_.empty(); }

  bool operator==(const Decision&) const = default;

 private:
  template <class Aggregate, class E>
  void add(std::string stream, E fact, std::string text) {
    static_assert(base::kContains<E, typename Aggregate::Events>, "an event of that aggregate");
    require_stream(Aggregate::kPattern, stream);
    emitted_.push_back({std::move(stream), std::move(fact), {std::move(text)}});
  }

  // Aborts if the stream is neither the target nor of that pattern.
  static void require_stream(std::string_view pattern, const std::string& stream);

  std::vector<Emitted> emitted_;
};

// Returns a Rejection that converts to Decided.
inline tl::unexpected<Rejection> reject(RejectionCode code, std::string text) {
  return tl::unexpected(Rejection{code, std::move(text)});
}

}  // namespace domain
