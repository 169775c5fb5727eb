// The peer's vectors of the choice of an agent, through the product's functions.
#include <map>

#include "eventlog/domain/conversation/routing.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const Json& given);

std::string text(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found == given.end() || found->is_null() ? std::string() : found->get<std::string>();
}

std::optional<Peer> peer(const Json& given) {
  const auto found = given.find("peer");
  if (found == given.end() || found->is_null()) return std::nullopt;
  return Peer{parse_chat_type(text(*found, "kind")).value(), text(*found, "id")};
}

RoutingSettings settings(const Json& given) {
  RoutingSettings all;
  for (const Json& agent : given.value("agents", Json::array())) {
    all.agents.push_back({text(agent, "id"), agent.value("default", false)});
  }
  for (const Json& binding : given.value("bindings", Json::array())) {
    const Json& match = binding.at("match");
    all.bindings.push_back({text(binding, "agentId"), text(match, "channel"),
                            text(match, "accountId"), peer(match), text(match, "guildId"),
                            text(match, "teamId")});
  }
  const Json session = given.value("session", Json::object());
  all.dm_scope = base::parse_enum<DmScope>(text(session, "dmScope")).value_or(DmScope::main);
  const Json links = session.value("identityLinks", Json::object());
  for (const auto& [name, ids] : links.items()) {
    all.identity_links.push_back({name, ids});
  }
  return all;
}

Json resolve(const Json& given) {
  const AgentRoute route =
      route_message({text(given, "channel"), text(given, "accountId"), peer(given),
                     text(given, "guildId"), text(given, "teamId")},
                    settings(given));
  return {{"agentId", route.agent},
          {"channel", route.channel},
          {"accountId", route.account},
          {"sessionKey", route.session_key},
          {"mainSessionKey", route.main_session_key},
          {"matchedBy", base::enum_name(route.matched_by)}};
}

Json default_account(const Json& given) {
  const RoutingSettings all = settings(given);
  const auto account =
      bound_account_of(default_agent(all.agents), all.bindings, text(given, "channel"));
  return account ? Json(*account) : Json();
}

const std::map<std::string, Answer> kAnswers = {
    {"route.bound_accounts",
     [](const Json& g) -> Json {
       return bound_accounts(settings(g).bindings, text(g, "channel"));
     }},
    {"route.default_agent",
     [](const Json& g) -> Json { return default_agent(settings(g).agents); }},
    {"route.default_agent_account", default_account},
    {"route.resolve", resolve},
};

TEST_CASE("messages are routed as the peer routes them", "[conversation][R125][R279]") {
  std::size_t tried = 0;
  for (const Json& vector : support::read_vectors("routing")) {
    const auto op = vector.at("op").get<std::string>();
    INFO(vector.at("id") << " " << op << " " << vector.at("given"));
    REQUIRE(kAnswers.count(op) == 1);
    CHECK(kAnswers.at(op)(vector.at("given")) == support::expected(vector));
    ++tried;
  }
  CHECK(tried == 28);
}

}  // namespace
}  // namespace domain
