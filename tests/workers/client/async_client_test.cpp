// Many tasks over one connection: each waits for its own answer or time.
#include "workers/client/async_client.hpp"

#include "tests/support/async_world.hpp"
#include "tests/support/catch.hpp"

namespace workers {
namespace {

using support::AsyncWorld;

Task<Outcome<QueryBody>> echo(AsyncClient& client, int number) {
  QueryBody body;
  body.limit = number;
  return client.ask<QueryBody>("echo", body);
}

Task<std::int64_t> sum(AsyncClient& client, int first) {
  const auto one = co_await echo(client, first);
  const auto two = co_await echo(client, first + 1);
  co_return one&& two ? one->limit + two->limit : -1;
}

Task<bool> pause(AsyncClient& client, base::Duration time) {
  auto wait = client.after(time);
  co_await wait;
  co_return true;
}

TEST_CASE("a task asks one question after the other while others ask theirs", "[workers]") {
  AsyncWorld world;
  std::vector<Task<std::int64_t>> tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back(sum(world.tasks, i));
  const auto sums = world.finish(all_of(std::move(tasks)));
  REQUIRE(sums.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(sums[static_cast<std::size_t>(i)] == 2 * i + 1);
  CHECK(world.tasks.is_idle());
}

TEST_CASE("a task that waits holds nobody up", "[workers]") {
  AsyncWorld world;
  auto slow = pause(world.tasks, std::chrono::hours(1));
  slow.start();
  CHECK(world.finish(sum(world.tasks, 1)) == 3);
  CHECK_FALSE(slow.is_done());
  world.step(std::chrono::hours(1));
  CHECK(slow.is_done());
}

TEST_CASE("requests beyond those that can be under way wait for their turn", "[workers]") {
  AsyncWorld world;
  constexpr int kCount = 3 * int{AsyncClient::kUnderWayMax};
  std::vector<Task<Outcome<QueryBody>>> tasks;
  for (int i = 0; i < kCount; ++i) tasks.push_back(echo(world.tasks, i));
  const auto answers = world.finish(all_of(std::move(tasks)));
  std::int64_t expected = 0;
  for (const auto& answer : answers) {
    REQUIRE(answer);
    CHECK(answer->limit == expected++);
  }
}

TEST_CASE("two requests under one id are sent one after the other", "[workers]") {
  AsyncWorld world;
  const base::CommandId id = world.client.fresh_id();
  CommandBody body;
  body.agent = "main";
  std::vector<Task<Outcome<CommandBody>>> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(world.tasks.command<CommandBody>(id, body));
  for (const auto& answer : world.finish(all_of(std::move(tasks)))) {
    REQUIRE(answer);
    CHECK(answer->agent == "main");
  }
}

TEST_CASE("a task that is given up leaves its place to others", "[workers]") {
  AsyncWorld world;
  {
    std::vector<Task<Outcome<QueryBody>>> given_up;
    for (std::size_t i = 0; i < 2 * AsyncClient::kUnderWayMax; ++i) {
      given_up.push_back(echo(world.tasks, 1));
      given_up.back().start();
    }
    CHECK_FALSE(world.tasks.is_idle());
  }
  CHECK(world.tasks.is_idle());
  CHECK(world.finish(sum(world.tasks, 1)) == 3);
}

TEST_CASE("why a request has no answer is an error that all surfaces know", "[workers]") {
  AsyncWorld world;
  const auto unread = world.finish(world.tasks.ask<CommandReplyBody>("echo", std::string("text")));
  REQUIRE_FALSE(unread);
  CHECK(unread.error().error == OperationError::failed);
  CHECK(unread.error().text.starts_with("the server's answer to 'echo' is not understood: "));

  world.server.reset();
  const auto lost = world.finish(echo(world.tasks, 1));
  REQUIRE_FALSE(lost);
  CHECK(lost.error().error == OperationError::unreachable);
}

}  // namespace
}  // namespace workers
