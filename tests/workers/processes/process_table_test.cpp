// Reading /proc: names of processes cannot forge a row, and a reused pid is never signalled.
#include "workers/processes/process_table.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"

namespace processes {
namespace {

constexpr char kTail[] = " 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 1 0 ";

TEST_CASE("a stat line is read whatever the program calls itself", "[workers]") {
  for (const std::string name : {"sh", "a b", "x) S 1 1 1 (y", "", "tab\tnew\nline"}) {
    const auto row = parse_stat("123 (" + name + ") S 7 120 119" + kTail + "987654321 1 2");
    REQUIRE(row);
    CHECK(row->pid == 123);
    CHECK(row->parent == 7);
    CHECK(row->session == 119);
    CHECK(row->state == 'S');
    CHECK(row->name == name);
    CHECK(row->start_ticks == 987654321);
  }
}

TEST_CASE("a broken stat line is an error", "[workers]") {
  const std::string whole = std::string("123 (sh) S 7 120 119") + kTail + "987654321 1 2";
  for (std::size_t length = 0; length < whole.size() - 14; ++length) {
    INFO(whole.substr(0, length));
    CHECK_FALSE(parse_stat(whole.substr(0, length)));
  }
  base::SeededRandom random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    const auto row = parse_stat(bytes);
    if (row) CHECK(row->pid > 0);
  }
}

TEST_CASE("this process is found with its parent and its environment", "[workers]") {
  const auto self = read_process(::getpid());
  REQUIRE(self);
  CHECK(self->parent == ::getppid());
  CHECK(self->session == ::getsid(0));
  CHECK_FALSE(self->has_ended());
  const auto table = all_processes();
  const auto below_parent = descendants_of(::getppid(), table);
  bool is_found = false;
  for (const auto& row : below_parent) is_found |= row.is_same(*self);
  CHECK(is_found);
}

TEST_CASE("a name is found in an environment only as a whole", "[workers]") {
  constexpr char kEntries[] = "A=1\0AB=2\0B\0C=\0D=x=y";
  const std::string environment(kEntries, sizeof kEntries - 1);
  CHECK(value_of("A", environment) == "1");
  CHECK(value_of("AB", environment) == "2");
  CHECK(value_of("C", environment) == "");
  CHECK(value_of("D", environment) == "x=y");
  for (const char* missing : {"B", "", "E", "A=1"}) CHECK_FALSE(value_of(missing, environment));
  CHECK_FALSE(value_of("A", ""));
  CHECK(value_of("PATH", environment_of(::getpid())) == std::getenv("PATH"));
}

TEST_CASE("a process that has another start time is not signalled", "[workers]") {
  auto self = read_process(::getpid());
  REQUIRE(self);
  CHECK(signal_process(*self, 0));
  ++self->start_ticks;
  CHECK_FALSE(signal_process(*self, SIGKILL));
}

TEST_CASE("a table with a circle of parents ends the search", "[workers]") {
  const ProcessTable table = {
      {2, 3, 1, 'S', 1, "a"}, {3, 2, 1, 'S', 1, "b"}, {4, 1, 1, 'S', 1, ""}};
  CHECK(descendants_of(1, table).size() == 1);
  CHECK(descendants_of(2, table).size() == 1);
}

}  // namespace
}  // namespace processes
