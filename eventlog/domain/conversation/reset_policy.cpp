// Chooses among blocks of settings, and compares moments. All texts can be any bytes.
#include "eventlog/domain/conversation/reset_policy.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

using std::chrono::days;
using std::chrono::minutes;

const ResetRule& rule_of_type(const ResetSettings& settings, ResetType type) {
  switch (type) {
    case ResetType::group:
      return settings.group;
    case ResetType::thread:
      return settings.thread;
    case ResetType::dm:
      break;
  }
  return settings.dm;
}

bool is_set(const ResetRule& rule) {
  return rule != ResetRule{};
}

template <class Value>
std::optional<Value> either(const std::optional<Value>& first, const std::optional<Value>& second) {
  return first ? first : second;
}

bool is_thread_key(const KeyParts& key) {
  return key.kind == KeyKind::thread || key.kind == KeyKind::topic;
}

bool says(std::string_view text) {
  return !trimmed(text).empty();
}

// Takes the trigger off the start of the text; false: it is not there as a word of its own.
bool take_trigger(std::string_view& text, std::string_view trigger) {
  if (trigger.empty() || text.size() < trigger.size()) return false;
  if (small_letters(text.substr(0, trigger.size())) != small_letters(trigger)) return false;
  std::string_view rest = text.substr(trigger.size());
  if (!rest.empty()) {
    std::string_view next = rest;
    if (!is_white_space(take_any_code_point(next))) return false;
  }
  text = trimmed(rest);
  return true;
}

std::string_view behind_slash(std::string_view name) {
  return name.substr(name.find('/') + 1);
}

}  // namespace

const ResetRule* rule_of_channel(const ResetSettings& settings, std::string_view channel) {
  const std::string name = channel_word(channel);
  if (name.empty()) return nullptr;
  for (const auto& [key, rule] : settings.by_channel) {
    if (channel_word(key) == name) return &rule;
  }
  return nullptr;
}

ResetPolicy reset_policy(const ResetSettings& settings, ResetType type, std::string_view channel) {
  ResetRule rule;
  std::optional<std::int64_t> older;
  const ResetRule* of_channel = rule_of_channel(settings, channel);
  if (of_channel != nullptr && is_set(*of_channel)) {
    rule = *of_channel;
  } else {
    const ResetRule& typed = rule_of_type(settings, type);
    rule = {either(typed.mode, settings.general.mode),
            either(typed.at_hour, settings.general.at_hour),
            either(typed.idle_minutes, settings.general.idle_minutes)};
    older = settings.idle_minutes;
  }
  if (!is_set(rule) && !older) return {};
  ResetPolicy policy;
  policy.mode = rule.mode.value_or(is_set(rule) ? ResetMode::daily : ResetMode::idle);
  if (policy.mode == ResetMode::off) return {};
  policy.at_hour = std::clamp<std::int64_t>(rule.at_hour.value_or(kResetHourDefault), 0, 23);
  policy.idle_minutes = either(rule.idle_minutes, older);
  if (policy.mode == ResetMode::idle && !policy.idle_minutes) {
    policy.idle_minutes = kIdleMinutesDefault;
  }
  if (policy.idle_minutes) {
    policy.idle_minutes = std::clamp<std::int64_t>(*policy.idle_minutes, 1, kIdleMinutesMax);
  }
  return policy;
}

bool is_in_thread(std::string_view key, const ThreadMarks& marks) {
  return (marks.thread && says(*marks.thread)) || says(marks.label) || says(marks.starter) ||
         says(marks.parent) || is_thread_key(parse_key_parts(key));
}

ResetType reset_type(std::string_view key, bool is_group, bool is_thread) {
  const KeyParts parts = parse_key_parts(key);
  if (is_thread || is_thread_key(parts)) return ResetType::thread;
  const bool is_place = parts.place == KeyKind::group || parts.place == KeyKind::channel;
  return is_group || is_place ? ResetType::group : ResetType::dm;
}

Time daily_boundary(const LocalMoment& moment, std::int64_t at_hour) {
  const std::chrono::hours hour(std::clamp<std::int64_t>(at_hour, 0, 23));
  const days today = std::chrono::floor<days>(moment.zones.local(moment.zone, moment.now));
  Time boundary;
  // A clock that was set back over midnight has shown an hour of tomorrow already.
  for (const int later : {1, 0, -1}) {
    boundary = moment.zones.moments(moment.zone, minutes(today + days(later)) + hour).first;
    if (boundary <= moment.now) break;
  }
  return boundary;
}

Freshness freshness(const ResetPolicy& policy, Time updated, const LocalMoment& moment) {
  Freshness fresh;
  if (policy.mode == ResetMode::off) return fresh;
  if (policy.mode == ResetMode::daily) {
    fresh.daily_reset_at = daily_boundary(moment, policy.at_hour);
    fresh.is_fresh = updated >= *fresh.daily_reset_at;
  }
  if (policy.idle_minutes) {
    fresh.idle_expires_at = updated + minutes(*policy.idle_minutes);
    fresh.is_fresh = fresh.is_fresh && moment.now <= *fresh.idle_expires_at;
  }
  return fresh;
}

std::optional<std::string> reset_remainder(const ResetSettings& settings, std::string_view text) {
  text = trimmed(text);
  const auto take = [&](const auto& triggers) {
    return std::any_of(std::begin(triggers), std::end(triggers), [&](std::string_view trigger) {
      return take_trigger(text, trimmed(trigger));
    });
  };
  const bool is_taken = settings.triggers.empty() ? take(kResetTriggers) : take(settings.triggers);
  return is_taken ? std::optional(std::string(text)) : std::nullopt;
}

ModelSwitch model_switch(std::string_view remainder, std::span<const std::string> models) {
  const std::string_view message = trimmed(remainder);
  std::string_view rest = message;
  std::size_t end = message.size();
  while (!rest.empty()) {
    const std::size_t at = message.size() - rest.size();
    if (!is_white_space(take_any_code_point(rest))) continue;
    end = at;
    break;
  }
  const std::string word = small_letters(message.substr(0, end));
  const std::string* chosen = nullptr;
  bool is_only = true;
  for (const std::string& model : models) {
    if (word.empty()) break;
    const std::string name = small_letters(model);
    if (name == word) return {model, std::string(trimmed(message.substr(end)))};
    if (behind_slash(name) != word) continue;
    is_only = chosen == nullptr;
    chosen = &model;
  }
  if (chosen == nullptr || !is_only) return {{}, std::string(message)};
  return {*chosen, std::string(trimmed(message.substr(end)))};
}

}  // namespace domain
