// When a conversation gets a fresh session, beyond the vectors.
#include "eventlog/domain/conversation/reset_policy.hpp"

#include "eventlog/base/time_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fixed_time_zones.hpp"

namespace domain {
namespace {

Time at(const char* text) {
  return base::parse_time_text(text).value();
}

const support::FixedTimeZones kZones(at("2026-03-29T01:00Z"), at("2026-10-25T01:00Z"));

LocalMoment moment(const char* text, const char* zone = support::FixedTimeZones::kZone) {
  return {at(text), zone, kZones};
}

TEST_CASE("nothing is reset unless somebody configured it", "[conversation]") {
  CHECK(reset_policy({}, ResetType::dm, "slack") == ResetPolicy{});
  ResetSettings settings;
  settings.group.mode = ResetMode::daily;
  settings.by_channel["discord"].mode = ResetMode::idle;
  CHECK(reset_policy(settings, ResetType::dm, "slack").mode == ResetMode::off);
  CHECK(freshness({}, Time{}, moment("2026-06-01T12:00Z")) == Freshness{});
  // An hour of the day was not asked for.
  settings.idle_minutes = 30;
  CHECK(reset_policy(settings, ResetType::dm, "slack").mode == ResetMode::idle);
  CHECK(reset_policy(settings, ResetType::dm, "slack").idle_minutes == 30);
}

TEST_CASE("a type or a channel can be left out of the resets", "[conversation]") {
  ResetSettings settings;
  settings.general = {ResetMode::daily, 5, 30};
  settings.thread.mode = ResetMode::off;
  settings.by_channel[" IMsg "].mode = ResetMode::off;
  settings.by_channel["slack"] = {};
  CHECK(reset_policy(settings, ResetType::thread, "slack") == ResetPolicy{});
  CHECK(reset_policy(settings, ResetType::dm, "iMessage") == ResetPolicy{});
  // An empty block says nothing.
  CHECK(reset_policy(settings, ResetType::dm, "slack") == ResetPolicy{ResetMode::daily, 5, 30});
}

TEST_CASE("a channel's block takes nothing from the others", "[conversation]") {
  ResetSettings settings;
  settings.general = {ResetMode::idle, 9, 30};
  settings.idle_minutes = 20;
  settings.by_channel["slack"].at_hour = 3;
  CHECK(reset_policy(settings, ResetType::dm, "SLACK") == ResetPolicy{ResetMode::daily, 3, {}});
  settings.by_channel["slack"].idle_minutes = std::numeric_limits<std::int64_t>::max();
  CHECK(reset_policy(settings, ResetType::dm, "slack").idle_minutes == kIdleMinutesMax);
}

TEST_CASE("the names of agents and ids do not make a thread or a group", "[conversation]") {
  CHECK(reset_type("agent:thread:main", false, false) == ResetType::dm);
  CHECK(reset_type("agent:group:dm:channel", false, false) == ResetType::dm);
  CHECK(reset_type("Agent:Main:Slack:CHANNEL:c1", false, false) == ResetType::group);
  CHECK(reset_type("agent:main:telegram:group:1:topic:2", false, false) == ResetType::thread);
  CHECK(reset_type("agent:main:telegram-777", false, false) == ResetType::group);
  CHECK_FALSE(is_in_thread("", {"  ", " ", "\n", ""}));
  CHECK(is_in_thread("", {{}, {}, "first words", {}}));
}

TEST_CASE("a daily boundary follows the local clock", "[conversation]") {
  // 02:30 is skipped in spring, and shown twice in autumn.
  CHECK(daily_boundary(moment("2026-03-29T00:59:59Z"), 2) == at("2026-03-28T01:00Z"));
  CHECK(daily_boundary(moment("2026-03-29T01:00Z"), 2) == at("2026-03-29T01:00Z"));
  CHECK(daily_boundary(moment("2026-10-25T00:00Z"), 2) == at("2026-10-25T00:00Z"));
  CHECK(daily_boundary(moment("2026-10-25T01:30Z"), 2) == at("2026-10-25T00:00Z"));
  CHECK(daily_boundary(moment("2026-06-01T22:00Z"), 0) == at("2026-06-01T22:00Z"));
  CHECK(daily_boundary(moment("2026-06-01T21:59:59Z"), -7) == at("2026-05-31T22:00Z"));
}

TEST_CASE("an hour that was shown before the clock went back over midnight has passed",
          "[conversation]") {
  // At 00:30 the clock is set back to 23:30 of the day before.
  const support::FixedTimeZones zones(at("2026-03-29T01:00Z"), at("2026-10-24T22:30Z"));
  const LocalMoment later{at("2026-10-24T22:45Z"), support::FixedTimeZones::kZone, zones};
  CHECK(daily_boundary(later, 0) == at("2026-10-24T22:00Z"));
}

TEST_CASE("the last moment of a session still belongs to it", "[conversation]") {
  const ResetPolicy idle{ResetMode::idle, 4, 60};
  CHECK(freshness(idle, at("2026-06-01T12:00Z"), moment("2026-06-01T13:00Z", "UTC")).is_fresh);
  CHECK_FALSE(freshness(idle, at("2026-06-01T12:00Z"), moment("2026-06-01T13:00:00.000001Z", "UTC"))
                  .is_fresh);
  const ResetPolicy daily{ResetMode::daily, 4, 60};
  const Freshness night =
      freshness(daily, at("2026-06-01T03:59:59.999Z"), moment("2026-06-01T04:00Z", "UTC"));
  CHECK_FALSE(night.is_fresh);
  CHECK(night.idle_expires_at == at("2026-06-01T04:59:59.999Z"));
}

TEST_CASE("a trigger is a word of its own at the start", "[conversation]") {
  const ResetSettings usual;
  CHECK(reset_remainder(usual, " /NEW\n") == "");
  CHECK(reset_remainder(usual, "/clear\n\n two\nlines ") == "two\nlines");
  CHECK(reset_remainder(usual, "/new\u3000これ") == "これ");
  for (const char* text : {"", " ", "/", "/newer", "/new-", "hello /new", "//new", "/new\u200D"}) {
    INFO(text);
    CHECK(reset_remainder(usual, text) == std::nullopt);
  }
  CHECK(reset_remainder(usual, "/new \xFF\xC3") == "\xFF\xC3");
  CHECK(reset_remainder(usual, "/new\xC3") == std::nullopt);
  ResetSettings own;
  own.triggers = {"", " /Fresh "};
  CHECK(reset_remainder(own, "/fresh start") == "start");
  CHECK(reset_remainder(own, "/new") == std::nullopt);
  CHECK(reset_remainder(own, "") == std::nullopt);
}

TEST_CASE("the first word behind a trigger can name a model", "[conversation]") {
  const std::vector<std::string> models = {"anthropic/claude-opus-4-5", "openai/gpt-5.2",
                                           "azure/gpt-5.2", "opus"};
  const auto switched = [&](const char* text) { return model_switch(text, models); };
  CHECK(switched("Claude-Opus-4-5  do  it").model == "anthropic/claude-opus-4-5");
  CHECK(switched("Claude-Opus-4-5  do  it").message == "do  it");
  CHECK(switched("OPUS").model == "opus");
  CHECK(switched("azure/gpt-5.2 x").model == "azure/gpt-5.2");
  // Two providers have it.
  CHECK(switched("gpt-5.2 x").model.empty());
  CHECK(switched("gpt-5.2 x").message == "gpt-5.2 x");
  CHECK(switched(" opusx do ").message == "opusx do");
  CHECK(switched("").model.empty());
}

}  // namespace
}  // namespace domain
