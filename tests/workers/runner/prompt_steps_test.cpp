// A prompt is given once its hooks have let it through, as they have left it.
#include "workers/runner/prompt_steps.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/session_samples.hpp"

namespace workers {
namespace {

using domain::HookPoint;
using support::turn;

struct Asked {
  explicit Asked(std::vector<HookPoint> points) : steps(std::move(points)) {}

  std::optional<engines::Ask> next(int n, const std::string& prompt, std::size_t number = 0) {
    return steps.next({turn(n), number}, prompt, {spec, false});
  }
  std::optional<SteppedPrompt> ready(int n, const std::string& prompt, std::size_t number = 0) {
    return steps.ready({turn(n), number}, prompt);
  }

  domain::SessionSpec spec;
  PromptSteps steps;
};

TEST_CASE("without hooks a prompt is given as it is", "[workers]") {
  Asked asked({HookPoint::stop});
  CHECK_FALSE(asked.next(1, "so"));
  CHECK(asked.ready(1, "so")->text == "so");
}

TEST_CASE("the start is asked once, and each prompt once", "[workers]") {
  Asked asked({HookPoint::session_start, HookPoint::user_prompt_submit});
  CHECK(asked.next(1, "so")->point == HookPoint::session_start);
  CHECK_FALSE(asked.next(1, "so"));
  CHECK_FALSE(asked.ready(1, "so"));
  asked.steps.take(HookPoint::session_start, true, R"({"context":"on main"})");
  const auto step = asked.next(1, "so");
  REQUIRE(step);
  CHECK(step->point == HookPoint::user_prompt_submit);
  CHECK(nlohmann::json::parse(step->context)["prompt"] == "so");
  CHECK_FALSE(asked.ready(1, "so"));
  asked.steps.take(HookPoint::user_prompt_submit, true, R"({"prompt":"so!","context":"hear"})");
  CHECK_FALSE(asked.next(1, "so"));
  CHECK(asked.ready(1, "so")->text == "<context from=\"hooks\">\non main\nhear\n</context>\n\nso!");
  CHECK(asked.next(1, "more", 1)->point == HookPoint::user_prompt_submit);
  asked.steps.take(HookPoint::user_prompt_submit, true, "");
  CHECK(asked.ready(1, "more", 1)->text == "more");
}

TEST_CASE("hooks are told of a prompt's files, and not given them", "[workers]") {
  Asked asked({HookPoint::user_prompt_submit});
  const std::vector<DirectedFile> files = {{0, "a.png", "image/png", "four"},
                                           {1, "b.txt", "text/plain", "b"}};
  const auto first = asked.steps.next({turn(1), 0}, "so", {asked.spec, false}, files);
  REQUIRE(first);
  CHECK(nlohmann::json::parse(first->context)["files"] ==
        nlohmann::json::parse(R"([{"name":"a.png","media_type":"image/png","bytes":4}])"));
  asked.steps.take(HookPoint::user_prompt_submit, true, "");
  const auto second = asked.steps.next({turn(1), 2}, "more", {asked.spec, false}, files);
  REQUIRE(second);
  CHECK_FALSE(nlohmann::json::parse(second->context).contains("files"));
}

TEST_CASE("a prompt that is blocked says why, and the next one is asked anew", "[workers]") {
  Asked asked({HookPoint::user_prompt_submit});
  REQUIRE(asked.next(1, "bad"));
  asked.steps.take(HookPoint::user_prompt_submit, false, "no secrets");
  const auto blocked = asked.ready(1, "bad");
  REQUIRE(blocked);
  CHECK(blocked->is_blocked);
  CHECK(blocked->reason == "no secrets");
  REQUIRE(asked.next(2, "good"));
  asked.steps.take(HookPoint::user_prompt_submit, true, "");
  CHECK_FALSE(asked.ready(2, "good")->is_blocked);
}

TEST_CASE("a start cannot be blocked, and a command of the agent stands alone", "[workers]") {
  Asked asked({HookPoint::session_start});
  REQUIRE(asked.next(1, "/compact"));
  asked.steps.take(HookPoint::session_start, false, "not here");
  CHECK(asked.ready(1, "/compact")->text == "/compact");
  CHECK(asked.ready(2, "so")->text == "<context from=\"hooks\">\nnot here\n</context>\n\nso");
  CHECK(asked.ready(3, "so")->text == "so");
}

}  // namespace
}  // namespace workers
