// Tasks without a loop: whoever waits is resumed by the test.
#include "workers/client/task.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace workers {
namespace {

// Something that tasks wait for.
class Gate {
 public:
  auto pass() {
    struct Awaiter {
      Gate& gate;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> task) { gate.waiting_.push_back(task); }
      void await_resume() const {}
    };
    return Awaiter{*this};
  }
  void open() {
    for (const auto task : std::exchange(waiting_, {})) task.resume();
  }

 private:
  std::vector<std::coroutine_handle<>> waiting_;
};

// Counts how many of it live.
struct Counted {
  explicit Counted(int& count) : alive(&count) { ++*alive; }
  Counted(const Counted& other) : alive(other.alive) { ++*alive; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive; }
  int* alive;
};

Task<int> number(Gate& gate, int value) {
  co_await gate.pass();
  co_return value;
}

Task<std::string> text(Gate& gate, int& alive) {
  const Counted local(alive);
  const int first = co_await number(gate, 1);
  const int second = co_await number(gate, 2);
  co_return std::to_string(first) + " and " + std::to_string(second);
}

TEST_CASE("a task waits as often as it must, and then has its value", "[workers]") {
  Gate gate;
  int alive = 0;
  auto task = text(gate, alive);
  CHECK(alive == 0);
  task.start();
  CHECK_FALSE(task.is_done());
  gate.open();
  CHECK_FALSE(task.is_done());
  gate.open();
  REQUIRE(task.is_done());
  CHECK(task.take() == "1 and 2");
}

TEST_CASE("a task that is given up ends what it holds, wherever it waits", "[workers]") {
  Gate gate;
  int alive = 0;
  {
    auto task = text(gate, alive);
    task.start();
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
  { const auto never_started = text(gate, alive); }
  CHECK(alive == 0);
}

Task<std::string> joined(Gate& gate, Gate& other) {
  std::vector<Task<int>> tasks;
  tasks.push_back(number(other, 1));
  tasks.push_back(number(gate, 2));
  tasks.push_back(number(gate, 3));
  auto together = all_of(std::move(tasks));
  const auto values = co_await std::move(together);
  std::string all;
  for (const int value : values) all += std::to_string(value);
  co_return all;
}

TEST_CASE("tasks that run together are done in any order, and their values stand in theirs",
          "[workers]") {
  Gate gate;
  Gate other;
  auto task = joined(gate, other);
  task.start();
  gate.open();
  CHECK_FALSE(task.is_done());
  other.open();
  REQUIRE(task.is_done());
  CHECK(task.take() == "123");
  auto given_up = joined(gate, other);
  given_up.start();
  gate.open();
}

Task<std::size_t> count(std::vector<Task<int>> tasks) {
  auto together = all_of(std::move(tasks));
  const auto values = co_await std::move(together);
  co_return values.size();
}
Task<int> at_once(int value) {
  co_return value;
}

TEST_CASE("tasks that wait for nothing run together, too", "[workers]") {
  std::vector<Task<int>> tasks;
  auto none = count(std::move(tasks));
  none.start();
  REQUIRE(none.is_done());
  CHECK(none.take() == 0);
  std::vector<Task<int>> some;
  for (int i = 0; i < 100; ++i) some.push_back(at_once(i));
  auto all = count(std::move(some));
  all.start();
  REQUIRE(all.is_done());
  CHECK(all.take() == 100);
}

}  // namespace
}  // namespace workers
