// Whether a task is given to a subagent, beyond the vectors.
#include "eventlog/domain/conversation/subagent_spawn.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

SpawnAsked asks(std::string agent = {}) {
  SpawnAsked asked;
  asked.task = " look ";
  asked.agent = std::move(agent);
  return asked;
}

SpawnRequester from(std::string key) {
  SpawnRequester requester;
  requester.key = std::move(key);
  return requester;
}

TEST_CASE("a subagent has no subagents, however its key is written", "[conversation][R128]") {
  for (const char* key : {"agent:main:subagent:x", "AGENT:main:SubAgent:x", " subagent:x ",
                          "agent:main:subagent:x:thread:1"}) {
    INFO(key);
    const auto spawned = check_spawn(asks(), {}, from(key));
    REQUIRE_FALSE(spawned);
    CHECK(spawned.error().fault == SpawnFault::from_subagent);
  }
  CHECK(check_spawn(asks(), {}, from("agent:main:slack:dm:subagent")));
}

TEST_CASE("a task goes to other agents only if they are allowed", "[conversation][R128]") {
  SpawnLimits limits;
  const auto refused = check_spawn(asks("beta"), limits, from("agent:ops:main"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text == "the agent ops cannot give tasks to beta; allowed: none");
  CHECK(check_spawn(asks("OPS"), limits, from("agent:ops:main")));
  limits.allowed_agents = {" * ", "beta"};
  CHECK(check_spawn(asks("gamma"), limits, from("agent:ops:main")));
  limits.allowed_agents = {"", " Beta ", "beta"};
  CHECK(check_spawn(asks("beta"), limits, from("agent:ops:main"))->agent == "beta");
  const auto other = check_spawn(asks("main"), limits, from("agent:ops:main"));
  REQUIRE_FALSE(other);
  CHECK(other.error().choices == std::vector<std::string>{"beta"});
}

TEST_CASE("a conversation has no more live runs than it may", "[conversation][R128]") {
  SpawnLimits limits;
  limits.live_max = 2;
  SpawnRequester requester = from("main");
  requester.live = 1;
  CHECK(check_spawn(asks(), limits, requester));
  requester.live = 2;
  const auto refused = check_spawn(asks(), limits, requester);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == SpawnFault::limit);
}

TEST_CASE("what was not asked is left to the settings", "[conversation]") {
  SpawnLimits limits;
  limits.default_model = "m";
  SpawnAsked asked = asks();
  asked.thinking = " HIGH ";
  const auto spawn = check_spawn(asked, limits, from(""));
  REQUIRE(spawn);
  CHECK(spawn->task == "look");
  CHECK(spawn->requester == "main");
  CHECK(spawn->model == "m");
  CHECK(spawn->thinking == "high");
  CHECK(spawn->timeout == std::nullopt);
  // No time-out was asked for.
  asked.timeout = base::Duration{-5};
  CHECK(check_spawn(asked, limits, from(""))->timeout == base::Duration{0});
  asked.task = "\u00A0\n";
  CHECK(check_spawn(asked, limits, from("")).error().fault == SpawnFault::no_task);
}

}  // namespace
}  // namespace domain
