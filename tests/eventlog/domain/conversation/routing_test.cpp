// The choice of an agent, beyond the peer's vectors.
#include "eventlog/domain/conversation/routing.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("the nearest binding wins, and the first of those that are equally near",
          "[conversation]") {
  const RoutingSettings settings{{},
                                 {{"any", "slack", "*"},
                                  {"account", "slack", "biz"},
                                  {"second", "slack", "biz"},
                                  {"team", "slack", "biz", {}, "", "t"},
                                  {"peer", "slack", "*", Peer{ChatType::dm, " u "}}},
                                 DmScope::main,
                                 {}};
  const auto agent = [&](const MessageSource& source) {
    return route_message(source, settings).agent;
  };
  CHECK(agent({"slack", "biz", Peer{ChatType::dm, "u"}, "", "t"}) == "peer");
  CHECK(agent({"slack", "biz", Peer{ChatType::dm, "v"}, "", "t"}) == "team");
  CHECK(agent({"slack", "biz"}) == "account");
  CHECK(agent({"slack", "home"}) == "any");
  CHECK(agent({"slack"}) == "any");
  CHECK(agent({"", "biz"}) == "main");
}

TEST_CASE("a blank id matches nothing", "[conversation]") {
  const RoutingSettings settings{{{"home", true}},
                                 {{"home", "slack", "*", Peer{ChatType::dm, " "}},
                                  {"home", "slack", "*", {}, " "},
                                  {" ", " slack ", ""}},
                                 DmScope::per_peer,
                                 {}};
  const AgentRoute blank = route_message({"slack", "x", Peer{ChatType::dm, " "}, " "}, settings);
  CHECK(blank.matched_by == RouteMatch::none);
  const AgentRoute of_nobody = route_message({"slack"}, settings);
  CHECK(of_nobody.matched_by == RouteMatch::account);
  CHECK(of_nobody.agent == "home");
}

TEST_CASE("a channel has one name in bindings and messages", "[conversation]") {
  const std::vector<Binding> bindings = {{"ops", "iMsg", " Biz "},
                                         {"main", "imessage", "b.c"},
                                         {"ops", "imsg", "*"},
                                         {"ops", "imsg", " "}};
  const AgentRoute route = route_message({"imessage", "Biz"}, {{}, bindings, DmScope::main, {}});
  CHECK(route.agent == "ops");
  CHECK(route.channel == "imessage");
  CHECK(bound_accounts(bindings, "imsg") == std::vector<std::string>{"b-c", "biz"});
  CHECK(bound_account_of("Ops", bindings, "imessage") == "biz");
  CHECK(bound_account_of("nobody", bindings, "imessage") == std::nullopt);
}

}  // namespace
}  // namespace domain
