// The reset vectors: kinds of conversations, policies, freshness, and what a message does.
#include <array>
#include <cmath>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/conversation/delivery.hpp"
#include "eventlog/domain/conversation/reset.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using nlohmann::json;
using std::chrono::minutes;

// The zones of the vectors, as they are in 2026.
class ZonesOf2026 final : public TimeZones {
 public:
  bool has(const std::string& zone) const override { return rules_of(zone).name == zone; }
  minutes local(const std::string& zone, Time at) const override {
    return std::chrono::floor<minutes>(base::Duration(at.us)) + offset(rules_of(zone), at);
  }
  ShownAt moments(const std::string& zone, minutes local) const override {
    const Rules& rules = rules_of(zone);
    const Time by_summer{base::Duration(local - rules.winter - rules.saved).count()};
    const Time by_winter{base::Duration(local - rules.winter).count()};
    const bool is_winter = offset(rules, by_winter) == rules.winter;
    if (offset(rules, by_summer) != rules.winter) {
      return {by_summer, is_winter ? std::optional(by_winter) : std::nullopt, false};
    }
    if (is_winter || rules.saved.count() == 0) return {by_winter, std::nullopt, false};
    return {base::parse_time_text(rules.spring).value(), std::nullopt, true};
  }

 private:
  struct Rules {
    std::string_view name;
    minutes winter{0};
    minutes saved{0};  // between spring and autumn
    const char* spring = "2026-01-01";
    const char* autumn = "2026-01-01";
  };
  static const Rules& rules_of(const std::string& zone) {
    static const std::array<Rules, 4> kZones = {
        {{"UTC"},
         {"Europe/Berlin", minutes{60}, minutes{60}, "2026-03-29T01:00Z", "2026-10-25T01:00Z"},
         {"America/New_York", minutes{-300}, minutes{60}, "2026-03-08T07:00Z", "2026-11-01T06:00Z"},
         {"Asia/Tokyo", minutes{540}}}};
    for (const Rules& rules : kZones) {
      if (rules.name == zone) return rules;
    }
    throw std::runtime_error("no rules for the zone " + zone);
  }
  static minutes offset(const Rules& rules, Time at) {
    const bool is_summer = at >= base::parse_time_text(rules.spring).value() &&
                           at < base::parse_time_text(rules.autumn).value();
    return is_summer ? rules.winter + rules.saved : rules.winter;
  }
};

Time time_of(const json& text) {
  return base::parse_time_text(text.get<std::string>()).value();
}

// "2026-01-18T04:00:00.000Z", or null.
json text_of(std::optional<Time> time) {
  if (!time) return nullptr;
  const std::string text = base::time_text(*time);
  return text.substr(0, text.size() - 4) + "Z";
}

std::string text_at(const json& object, const char* name) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

// Settings hold whole numbers. Whoever reads them takes the floor of others.
std::optional<std::int64_t> whole_at(const json& object, const char* name) {
  if (!object.contains(name) || !object[name].is_number()) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(object[name].get<double>()));
}

ResetRule rule_of(const json& object) {
  return {base::parse_enum<ResetMode>(text_at(object, "mode")), whole_at(object, "atHour"),
          whole_at(object, "idleMinutes")};
}

ResetSettings settings_of(const json& config) {
  ResetSettings settings;
  settings.general = rule_of(config.value("reset", json::object()));
  const json by_type = config.value("resetByType", json::object());
  settings.dm = rule_of(by_type.value("dm", json::object()));
  settings.group = rule_of(by_type.value("group", json::object()));
  settings.thread = rule_of(by_type.value("thread", json::object()));
  const json by_channel = config.value("resetByChannel", json::object());
  for (const auto& [channel, rule] : by_channel.items()) {
    settings.by_channel[channel] = rule_of(rule);
  }
  settings.idle_minutes = whole_at(config, "idleMinutes");
  settings.triggers = config.value("resetTriggers", std::vector<std::string>());
  return settings;
}

json json_of(const ResetRule& rule) {
  json object = json::object();
  if (rule.mode) object["mode"] = base::enum_name(*rule.mode);
  if (rule.at_hour) object["atHour"] = *rule.at_hour;
  if (rule.idle_minutes) object["idleMinutes"] = *rule.idle_minutes;
  return object;
}

json json_of(const ResetPolicy& policy) {
  if (policy.mode == ResetMode::off) return {{"mode", "off"}};
  return json_of(ResetRule{policy.mode, policy.at_hour, policy.idle_minutes});
}

ThreadMarks marks_of(const json& object, const char* id, const char* label, const char* starter,
                     const char* parent) {
  ThreadMarks marks{{}, text_at(object, label), text_at(object, starter), text_at(object, parent)};
  if (object.contains(id) && !object[id].is_null()) {
    marks.thread = object[id].is_string() ? object[id].get<std::string>() : object[id].dump();
  }
  return marks;
}

// ---- what a message does to an entry ----

SessionShare share_of(const json& entry) {
  SessionShare share;
  share.session = text_at(entry, "sessionId");
  share.input_tokens = entry.value("inputTokens", 0);
  share.output_tokens = entry.value("outputTokens", 0);
  share.total_tokens = entry.value("totalTokens", 0);
  share.compactions = entry.value("compactionCount", 0);
  share.memory_flushed = {entry.value("memoryFlushAt", 0)};
  share.memory_flush_compactions = whole_at(entry, "memoryFlushCompactionCount");
  share.is_system_prompt_sent = entry.value("systemSent", false);
  share.was_aborted = entry.value("abortedLastRun", false);
  return share;
}

void put(json& entry, const SessionShare& share) {
  entry["sessionId"] = share.session;
  entry["inputTokens"] = share.input_tokens;
  entry["outputTokens"] = share.output_tokens;
  entry["totalTokens"] = share.total_tokens;
  entry["compactionCount"] = share.compactions;
  entry["memoryFlushAt"] = share.memory_flushed.us == 0 ? json() : json(share.memory_flushed.us);
  entry["memoryFlushCompactionCount"] =
      share.memory_flush_compactions ? json(*share.memory_flush_compactions) : json();
  entry["systemSent"] = share.is_system_prompt_sent;
  entry["abortedLastRun"] = share.was_aborted;
}

void reset(json& entry) {
  SessionShare share = share_of(entry);
  share = {.session = "new"};
  put(entry, share);
}

DeliveryContext place(std::string channel, std::string to, std::string account,
                      std::string thread = {}) {
  return {std::move(channel), std::move(to), std::move(account), std::move(thread), false, {}};
}

// The place that a message came from replaces what it says of the last one.
void put_route(json& entry, const json& ctx) {
  const auto thread_of = [](const json& object, const char* name, DeliveryContext& context) {
    if (!object.contains(name) || object[name].is_null()) return;
    context.is_thread_number = object[name].is_number();
    context.thread = context.is_thread_number ? object[name].dump() : text_at(object, name);
  };
  DeliveryContext last = place(text_at(entry, "lastChannel"), text_at(entry, "lastTo"),
                               text_at(entry, "lastAccountId"));
  thread_of(entry, "lastThreadId", last);
  DeliveryContext come = place(text_at(ctx, "OriginatingChannel"), text_at(ctx, "OriginatingTo"),
                               text_at(ctx, "AccountId"));
  thread_of(ctx, "MessageThreadId", come);
  const DeliveryContext merged = merged_delivery(come, last);
  const auto put_field = [&](const char* name_last, const char* name, const json& value) {
    entry[name_last] = entry["deliveryContext"][name] = value;
  };
  if (!merged.channel.empty()) put_field("lastChannel", "channel", merged.channel);
  if (!merged.to.empty()) put_field("lastTo", "to", merged.to);
  if (!merged.account.empty()) put_field("lastAccountId", "accountId", merged.account);
  if (merged.thread.empty()) return;
  put_field("lastThreadId", "threadId",
            merged.is_thread_number ? json::parse(merged.thread) : json(merged.thread));
}

ArrivedMessage message_of(const json& given, const std::string& key) {
  const json& ctx = given["ctx"];
  const auto first = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (ctx.contains(name)) return text_at(ctx, name);
    }
    return std::string();
  };
  ArrivedMessage message;
  message.key = key;
  message.channel = first({"OriginatingChannel", "Surface", "Provider"});
  message.is_group = text_at(ctx, "ChatType") == "group" || text_at(ctx, "ChatType") == "channel";
  message.thread =
      marks_of(ctx, "MessageThreadId", "ThreadLabel", "ThreadStarterBody", "ParentSessionKey");
  message.text = first({"CommandBody", "RawBody", "Body"});
  const json channels = given.value("channels", json::object());
  const json channel = channels.value(text_at(ctx, "Provider"), json::object());
  message.is_authorised =
      is_authorised(channel.value("allowFrom", std::vector<std::string>()),
                    std::array<std::string, 2>{first({"SenderE164"}), first({"SenderId"})});
  return message;
}

json message_session(const json& given, const TimeZones& zones) {
  const std::string key = canonical_key(text_at(given["ctx"], "SessionKey"), {}).value();
  json entry = given.value("entry", json::object());
  const std::optional<Time> updated =
      given.contains("entry") ? std::optional(time_of(entry["updatedAt"])) : std::nullopt;
  const MessageStart start =
      on_message(settings_of(given.value("session", json::object())), message_of(given, key),
                 updated, {time_of(given["now"]), given["tz"], zones});
  const bool is_new = start.start != SessionStart::continued;
  const bool is_reset = start.start == SessionStart::trigger;
  json answer = {{"new", is_new},
                 {"reset", is_reset},
                 {"body", start.remainder ? json(*start.remainder) : json()},
                 {"same_session", !is_new},
                 {"key", key}};
  if (is_new) reset(entry);
  put_route(entry, given["ctx"]);
  if (!start.display_name.empty()) entry["displayName"] = start.display_name;
  for (const json& field : given.value("show", json::array())) {
    answer["entry"][field.get<std::string>()] = entry.value(field.get<std::string>(), json());
  }
  return answer;
}

json answer_of(const std::string& op, const json& given, const TimeZones& zones) {
  const std::string key = text_at(given, "key");
  if (op == "reset.type") {
    return base::enum_name(
        reset_type(key, given.value("group", false), given.value("thread", false)));
  }
  if (op == "reset.is_thread") {
    return is_in_thread(
        key, marks_of(given, "messageThreadId", "threadLabel", "threadStarterBody", "parent"));
  }
  if (op == "reset.policy") {
    ResetSettings settings = settings_of(given["config"]);
    if (given.contains("channelOverride")) {
      settings.by_channel["some"] = rule_of(given["channelOverride"]);
    }
    const auto type = base::parse_enum<ResetType>(text_at(given, "type"));
    return json_of(reset_policy(settings, type.value(), "some"));
  }
  if (op == "reset.channel_policy") {
    const ResetSettings settings = settings_of(given["config"]);
    const ResetRule* rule = rule_of_channel(settings, text_at(given, "channel"));
    return rule == nullptr ? json() : json_of(*rule);
  }
  if (op == "message.session") return message_session(given, zones);
  if (op == "session.rpc_reset") {
    json entry = given["entry"];
    reset(entry);
    entry["updatedAt"] = given["now"];
    return {{"key", key}, {"entry", entry}};
  }
  const LocalMoment moment{time_of(given["now"]), given["tz"], zones};
  if (op == "reset.daily_boundary") {
    return text_of(daily_boundary(moment, whole_at(given, "atHour").value()));
  }
  REQUIRE(op == "reset.fresh");
  ResetSettings settings;
  settings.general = rule_of(given["policy"]);
  const Freshness fresh =
      freshness(reset_policy(settings, ResetType::dm, {}), time_of(given["updatedAt"]), moment);
  return {{"fresh", fresh.is_fresh},
          {"dailyResetAt", text_of(fresh.daily_reset_at)},
          {"idleExpiresAt", text_of(fresh.idle_expires_at)}};
}

// Vectors of the peer that contradict the ruling "What survives a reset".
const std::map<std::string, json> kRuledHere = {
    // Levels, model, send policy and queue are the conversation's and stay; so does its name. The
    // counters of tokens are the session's and go.
    {"reset-100",
     {{"thinkingLevel", "high"},
      {"verboseLevel", "on"},
      {"reasoningLevel", "on"},
      {"modelOverride", "m"},
      {"providerOverride", "p"},
      {"sendPolicy", "deny"},
      {"queueMode", "steer"},
      {"queueCap", 5},
      {"displayName", "N"},
      {"responseUsage", "full"},
      {"ttsAuto", "always"},
      {"inputTokens", 0},
      {"totalTokens", 0}}},
    // The method resets as every surface does, so it keeps the rest of the settings as well. The
    // compactions and flushes are the session's and go.
    {"reset-106",
     {{"elevatedLevel", "on"},
      {"modelOverride", "m"},
      {"providerOverride", "p"},
      {"queueMode", "steer"},
      {"queueCap", 5},
      {"displayName", "N"},
      {"execHost", "node"},
      {"authProfileOverride", "a"},
      {"ttsAuto", "always"},
      {"groupActivation", "always"},
      {"spawnedBy", "agent:main:x"},
      {"lastHeartbeatText", "t"},
      {"lastAccountId", "a"},
      {"compactionCount", 0},
      {"memoryFlushAt", nullptr},
      {"memoryFlushCompactionCount", nullptr}}},
};

TEST_CASE("resets are those of the vectors", "[conversation][R114][R115]") {
  const ZonesOf2026 zones;
  const json vectors = support::read_vectors("reset");
  REQUIRE_FALSE(vectors.empty());
  for (const json& vector : vectors) {
    INFO(vector["id"] << " " << vector["given"].dump());
    json expected = support::expected(vector);
    const auto ruled = kRuledHere.find(vector["id"]);
    if (ruled != kRuledHere.end()) expected["entry"].update(ruled->second);
    CHECK(answer_of(vector["op"], vector["given"], zones) == expected);
  }
}

}  // namespace
}  // namespace domain
