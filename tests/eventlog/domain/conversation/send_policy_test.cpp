// The decision whether a conversation is sent to, and how people read it.
#include "eventlog/domain/conversation/send_policy.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

constexpr auto kDeny = SendAction::deny;
constexpr auto kAllow = SendAction::allow;

SendDecision decision(const SendPolicy& policy, const std::string& key,
                      std::optional<SendAction> setting = std::nullopt) {
  return resolve_send(policy, {setting, key, {}, std::nullopt});
}

TEST_CASE("a decision names what made it", "[conversation][R122]") {
  const SendPolicy policy{{{"slack", ChatType::channel, "", kDeny}, {"", {}, "agent:Ops:", kAllow}},
                          kDeny};
  const SendDecision rule = decision(policy, "agent:ops:main");
  CHECK(rule.action == kAllow);
  CHECK(rule.basis == SendBasis::rule);
  CHECK(rule.rule == 2);
  CHECK(rule.why == "Rule 2 of 2 allows sending (key prefix agent:ops:).");
  CHECK(decision(policy, "agent:ops:slack:channel:c1").why ==
        "Rule 1 of 2 denies sending (channel slack, chat type channel).");
  const SendDecision otherwise = decision(policy, "agent:main:main");
  CHECK(otherwise.basis == SendBasis::policy_default);
  CHECK(otherwise.rule == 0);
  CHECK(otherwise.action == kDeny);
  CHECK(decision({}, "agent:main:main").basis == SendBasis::none);
  CHECK(decision(policy, "agent:ops:main", kDeny).basis == SendBasis::setting);
  CHECK(decision(policy, "agent:ops:main", kDeny).rule == 0);
  CHECK(decision({{{}}, kDeny}, "x").why == "Rule 1 of 1 allows sending (every conversation).");
}

TEST_CASE("the place of a conversation follows from its key where nothing else says it",
          "[conversation][R123][R124]") {
  const auto type = [](const std::string& key) { return decision({}, key).chat_type; };
  CHECK(type("agent:main:telegram:dm:7") == ChatType::dm);
  CHECK(type("agent:main:slack:channel:c1:thread:9") == ChatType::channel);
  CHECK(type("agent:main:telegram-777") == ChatType::group);
  CHECK(type("agent:main:main") == std::nullopt);
  CHECK(type("agent:main:subagent:group:1") == std::nullopt);
  CHECK(decision({}, "agent:main:telegram-777").channel == "telegram");
  const SendSubject told{{}, "agent:main:slack:group:x", {" ", "IMsg", "slack"}, ChatType::dm};
  CHECK(resolve_send({}, told).channel == "imessage");
  CHECK(resolve_send({}, told).chat_type == ChatType::dm);
}

TEST_CASE("the whole channel is muted but for one conversation", "[conversation][R124]") {
  const SendPolicy policy{
      {{"", {}, "agent:main:discord:group:dev", kAllow}, {"discord", {}, "", kDeny}}, std::nullopt};
  CHECK(decision(policy, "agent:main:discord:group:dev").action == kAllow);
  CHECK(decision(policy, "agent:main:discord:group:other").action == kDeny);
  CHECK(decision(policy, "agent:main:slack:group:dev").action == kAllow);
}

TEST_CASE("a rule about what is not known of a conversation does not match", "[conversation]") {
  CHECK(decision({{{"slack", {}, "", kDeny}}, {}}, "agent:main:main").action == kAllow);
  CHECK(decision({{{"", ChatType::dm, "", kDeny}}, {}}, "").action == kAllow);
}

TEST_CASE("the owner's command has its words, and others are told apart from messages",
          "[conversation]") {
  const auto mode = [](std::string_view text) { return parse_send_command(text); };
  CHECK(mode("/SEND Off") == SendMode::deny);
  CHECK(mode("/send: on") == SendMode::allow);
  CHECK(mode("/send:reset") == SendMode::inherit);
  CHECK(mode("/send\toff\nand then go on") == SendMode::deny);
  CHECK(mode("/send\n") == SendMode::unknown);
  CHECK(mode("/send é") == std::nullopt);
  CHECK(mode("/send on please") == std::nullopt);
  CHECK(mode("/send 1") == std::nullopt);
  CHECK(mode("/sender off") == std::nullopt);
  CHECK(mode("/sendoff") == std::nullopt);
}

}  // namespace
}  // namespace domain
