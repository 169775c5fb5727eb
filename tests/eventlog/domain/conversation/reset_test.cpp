// What a message does to its conversation's session, beyond the vectors.
#include "eventlog/domain/conversation/reset.hpp"

#include "eventlog/base/time_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fixed_time_zones.hpp"

namespace domain {
namespace {

Time at(const char* text) {
  return base::parse_time_text(text).value();
}

const support::FixedTimeZones kZones({}, {});

MessageStart start_at(const char* now, const char* updated, const ArrivedMessage& message,
                      const ResetSettings& settings = {}) {
  return on_message(settings, message, at(updated), {at(now), "UTC", kZones});
}

ArrivedMessage says(const char* text) {
  ArrivedMessage message;
  message.key = "agent:main:slack:dm:u1";
  message.channel = "slack";
  message.text = text;
  return message;
}

TEST_CASE("a conversation goes on for years unless a reset is configured", "[conversation]") {
  const auto start = start_at("2036-01-01T12:00Z", "2026-01-01T12:00Z", says("hello"));
  CHECK(start == MessageStart{});
}

TEST_CASE("the reason of a reset is the one that was due first", "[conversation]") {
  ResetSettings settings;
  settings.general = {ResetMode::daily, 4, 60};
  const auto reason = [&](const char* now, const char* updated) {
    return start_at(now, updated, says("hello"), settings).start;
  };
  CHECK(reason("2026-01-02T12:00Z", "2026-01-01T12:00Z") == SessionStart::idle);
  CHECK(reason("2026-01-02T12:00Z", "2026-01-02T03:30Z") == SessionStart::daily);
  CHECK(reason("2026-01-02T04:10Z", "2026-01-02T03:30Z") == SessionStart::daily);
  CHECK(reason("2026-01-02T12:00Z", "2026-01-02T10:00Z") == SessionStart::idle);
  CHECK(reason("2026-01-02T12:00Z", "2026-01-02T11:30Z") == SessionStart::continued);
}

TEST_CASE("a trigger of a stranger is a text like any other", "[conversation]") {
  ArrivedMessage message = says("/new now");
  CHECK(start_at("2026-01-01T12:00Z", "2026-01-01T11:00Z", message).remainder == "now");
  message.is_authorised = false;
  const auto start = start_at("2026-01-01T12:00Z", "2026-01-01T11:00Z", message);
  CHECK(start.start == SessionStart::continued);
  CHECK(start.remainder == std::nullopt);
}

TEST_CASE("senders are known by their names and by the digits of their numbers", "[conversation]") {
  const auto allows = [](std::vector<std::string> allowed, std::vector<std::string> sender) {
    return is_authorised(allowed, sender);
  };
  CHECK(allows({}, {}));
  CHECK(allows({" * "}, {}));
  CHECK(allows({"+1 (555) 01-00"}, {"15550100:7@S.WhatsApp.net"}));
  CHECK(allows({"whatsapp:+15550100"}, {"", "+15550100"}));
  CHECK(allows({"@Ana"}, {"ana"}));
  CHECK_FALSE(allows({"+15550100"}, {"115550100", "+1555010", "15550100@lid", "x15550100"}));
  CHECK_FALSE(allows({"", " "}, {"", " "}));
  CHECK_FALSE(allows({"ana"}, {}));
}

TEST_CASE("a reset leaves nothing of the session before", "[conversation][R115]") {
  SessionShare share;
  share.session = "old";
  share.agent_session = "sdk";
  share.compactions = 3;
  share.memory_flush_compactions = 2;
  share.is_system_prompt_sent = true;
  const SessionShare before = share;
  share = {.session = "new"};
  std::size_t gone = 0;
  SessionShare::fields([&](const char*, auto member) { gone += share.*member != before.*member; });
  CHECK(gone == 5);
  CHECK(base::decode<SessionShare>(base::encode(before)).value() == before);
}

}  // namespace
}  // namespace domain
