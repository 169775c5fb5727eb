// When a conversation gets a fresh session: by a trigger that its user typed, at an hour of the
// day, or after a time without messages. Daily and idle resets are off unless somebody configured
// them. Settings for a channel beat those for a type of conversation, which beat the general ones.
// Source: details 2.5 and the rulings on resets.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "eventlog/domain/time_zones.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

enum class ResetMode : std::uint8_t { off, daily, idle };
enum class ResetType : std::uint8_t { dm, group, thread };

constexpr std::int64_t kResetHourDefault = 4;
constexpr std::int64_t kIdleMinutesDefault = 60;
// A hundred years: no sum with a time can overflow.
constexpr std::int64_t kIdleMinutesMax = std::int64_t{100} * 366 * 24 * 60;

// One block of the settings. A field that is not set has the value of the next block, or its
// default.
struct ResetRule {
  std::optional<ResetMode> mode{};             // daily, if the block sets something else
  std::optional<std::int64_t> at_hour{};       // of the local clock; taken into 0 to 23
  std::optional<std::int64_t> idle_minutes{};  // below 1 counts as 1; also limits a daily policy

  bool operator==(const ResetRule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("mode", &ResetRule::mode);
    visit("at_hour", &ResetRule::at_hour);
    visit("idle_minutes", &ResetRule::idle_minutes);
  }
};

struct ResetSettings {
  ResetRule general{};
  ResetRule dm{};
  ResetRule group{};
  ResetRule thread{};
  std::map<std::string, ResetRule> by_channel{};  // replaces all the others, if it sets something
  std::optional<std::int64_t> idle_minutes{};     // the older setting; alone, it means idle
  std::vector<std::string> triggers{};            // empty: kResetTriggers

  bool operator==(const ResetSettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("general", &ResetSettings::general);
    visit("dm", &ResetSettings::dm);
    visit("group", &ResetSettings::group);
    visit("thread", &ResetSettings::thread);
    visit("by_channel", &ResetSettings::by_channel);
    visit("idle_minutes", &ResetSettings::idle_minutes);
    visit("triggers", &ResetSettings::triggers);
  }
};

// The policy of one conversation. `at_hour` has a meaning for daily ones only.
struct ResetPolicy {
  ResetMode mode = ResetMode::off;
  std::int64_t at_hour = kResetHourDefault;
  std::optional<std::int64_t> idle_minutes{};

  bool operator==(const ResetPolicy&) const = default;
};

// Returns the block for a channel, by its usual name or an alias; null: there is none.
const ResetRule* rule_of_channel(const ResetSettings& settings, std::string_view channel);
ResetPolicy reset_policy(const ResetSettings& settings, ResetType type, std::string_view channel);

// Signs of a thread in a message, next to its session key.
struct ThreadMarks {
  std::optional<std::string> thread{};  // its id; "0" is one
  std::string label{};
  std::string starter{};  // the text of the message that began it
  std::string parent{};   // the parent's session key
};
bool is_in_thread(std::string_view key, const ThreadMarks& marks);
ResetType reset_type(std::string_view key, bool is_group, bool is_thread);

// A moment, and the clock that the hour of a daily reset is read from. `zone` must be known.
struct LocalMoment {
  Time now{};
  std::string zone{};
  const TimeZones& zones;
};

// Returns the last moment, at or before `moment`, at which the local clock showed that full hour.
// An hour that the clock skips counts as the moment of the jump; one that it shows twice counts as
// the first.
Time daily_boundary(const LocalMoment& moment, std::int64_t at_hour);

struct Freshness {
  std::optional<Time> daily_reset_at{};   // for a daily policy
  std::optional<Time> idle_expires_at{};  // for one with idle minutes
  bool is_fresh = true;

  bool operator==(const Freshness&) const = default;
};
// Both moments themselves still belong to the session.
Freshness freshness(const ResetPolicy& policy, Time updated, const LocalMoment& moment);

constexpr std::string_view kResetTriggers[] = {"/new", "/reset", "/clear"};

// Returns what stands behind the trigger, without blanks around it; none: the text is no trigger.
// A trigger is the whole text or is followed by a blank; case does not matter.
std::optional<std::string> reset_remainder(const ResetSettings& settings, std::string_view text);

// The first word of a remainder, if it names a model: "/new opus do this".
struct ModelSwitch {
  std::string model{};  // as it stands in `models`; empty: none
  std::string message{};
};
// `models` are those that can be chosen, as "anthropic/claude-opus-4-5" or an alias. The part
// behind the slash is enough if it names one model only. Case does not matter.
ModelSwitch model_switch(std::string_view remainder, std::span<const std::string> models);

}  // namespace domain

template <>
struct base::EnumNames<domain::ResetMode> {
  static constexpr std::string_view kNames[] = {"off", "daily", "idle"};
};
template <>
struct base::EnumNames<domain::ResetType> {
  static constexpr std::string_view kNames[] = {"dm", "group", "thread"};
};
