// The peer's vectors of the send policy, through the product's functions.
#include <map>

#include "eventlog/domain/conversation/send_policy.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const Json& given);

std::string text(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found != given.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json part(const Json& given, const char* name) {
  const Json found = given.value(name, Json());
  return found.is_object() ? found : Json::object();
}

SendPolicy policy(const Json& given) {
  SendPolicy policy;
  policy.otherwise = parse_send_action(text(given, "default"));
  for (const Json& rule : given.value("rules", Json::array())) {
    if (!rule.is_object()) continue;
    const Json match = part(rule, "match");
    policy.rules.push_back({text(match, "channel"), parse_chat_type(text(match, "chatType")),
                            text(match, "keyPrefix"),
                            parse_send_action(text(rule, "action")).value_or(SendAction::allow)});
  }
  return policy;
}

Json resolved(const Json& given) {
  const Json entry = part(given, "entry");
  SendSubject subject;
  subject.setting = parse_send_action(text(entry, "sendPolicy"));
  subject.key = text(given, "key");
  subject.channels = {text(given, "channel"), text(entry, "channel"), text(entry, "lastChannel")};
  subject.chat_type = parse_chat_type(text(given, "chatType"));
  if (!subject.chat_type) subject.chat_type = parse_chat_type(text(entry, "chatType"));
  const SendDecision decision = resolve_send(policy(part(given, "policy")), subject);
  CHECK(decision.why.ends_with('.'));
  return base::enum_name(decision.action);
}

Json override_value(const Json& given) {
  const auto action = parse_send_action(text(given, "value"));
  return action ? Json(base::enum_name(*action)) : Json();
}

Json command(const Json& given) {
  const auto mode = parse_send_command(text(given, "text"));
  Json answer = {{"hasCommand", mode.has_value()}};
  if (mode && *mode != SendMode::unknown) answer["mode"] = base::enum_name(*mode);
  return answer;
}

const std::map<std::string, Answer> kAnswers = {{"policy.resolve", resolved},
                                                {"policy.override_value", override_value},
                                                {"policy.command", command}};

TEST_CASE("the send policy answers as the peer does, or as ruled", "[conversation][R122][R140]") {
  for (const Json& vector : support::read_vectors("sendpolicy")) {
    INFO(vector.at("id"));
    CHECK(kAnswers.at(vector.at("op"))(vector.at("given")) == support::expected(vector));
  }
}

}  // namespace
}  // namespace domain
