// P1 and P2 under SIGKILL: a process that appends is killed at a moment that a seed chooses, and
// its log is compared with its acknowledgements. STENO_KILL_ROUNDS sets the number of kills,
// STENO_KILL_SEED the seed. With STENO_HASTY_CHILD the process acknowledges commands that it has
// not stored, and the test must fail.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "eventlog/store/head_file.hpp"
#include "tests/crash/numbered_commands.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/environment_number.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using base::Position;

constexpr std::int64_t kNoEnd = 1'000'000'000;

// A running append_child and the reading end of the pipe with its acknowledgements.
class Child {
 public:
  Child(const std::string& folder, std::int64_t first, std::int64_t last, bool is_hasty = false) {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string arguments[] = {STENO_APPEND_CHILD, folder, std::to_string(first),
                               std::to_string(last), "hasty"};
    char* argv[] = {arguments[0].data(),
                    arguments[1].data(),
                    arguments[2].data(),
                    arguments[3].data(),
                    is_hasty ? arguments[4].data() : nullptr,
                    nullptr};
    const int failed = posix_spawn(&pid_, argv[0], &actions, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    read_end_ = ends[0];
    REQUIRE(failed == 0);
  }
  ~Child() {
    if (pid_ > 0) kill_and_wait();
    close(read_end_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns the next acknowledgement, command and position; nothing once the child is gone.
  std::optional<std::pair<std::int64_t, Position>> next() {
    char record[16];
    std::size_t got = 0;
    while (got < sizeof record) {
      pollfd ready{read_end_, POLLIN, 0};
      REQUIRE(poll(&ready, 1, 60'000) == 1);
      const ssize_t count = read(read_end_, record + got, sizeof record - got);
      if (count <= 0) return std::nullopt;
      got += static_cast<std::size_t>(count);
    }
    const auto number = base::read_u64({record, 8});
    const auto position = base::read_u64({record + 8, 8});
    return std::pair(static_cast<std::int64_t>(number),
                     Position{static_cast<std::int64_t>(position)});
  }
  void kill_and_wait() {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
    pid_ = -1;
  }
  bool was_killed() const { return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL; }

 private:
  pid_t pid_ = -1;
  int read_end_ = -1;
  int status_ = 0;
};

using Acknowledged = std::map<std::int64_t, Position>;

// The position of the command's last event in its session's stream, and the types of all its
// events.
struct Found {
  Position last_of_session;
  std::vector<std::string> types;
};

void check_head(const std::string& folder, eventlog::BlockStore& store,
                const Acknowledged& acknowledged) {
  const auto head = eventlog::read_head_file(folder + "/head");
  REQUIRE(head);
  REQUIRE(*head);
  REQUIRE(store.tail() >= (*head)->position);
  for (const auto& [number, position] : acknowledged) REQUIRE(position <= (*head)->position);
  const auto stored = store.read((*head)->position, 1, false);
  REQUIRE(stored);
  const auto block = eventlog::parse_block(stored->front().facts);
  REQUIRE(block);
  REQUIRE(block->header.last() == (*head)->position);
  REQUIRE(block->hash() == (*head)->hash);
}

void check_events(eventlog::BlockStore& store, const Acknowledged& acknowledged,
                  std::int64_t sent_max) {
  const std::vector<std::string> spawned = {"SessionOpened", "SessionNamed", "TurnQueued",
                                            "SessionAdmitted"};
  std::map<base::CommandId, Found> found;
  for (const auto& event : support::all_events(store)) {
    Found& f = found[event.envelope.command];
    f.types.push_back(event.envelope.type);
    if (event.envelope.type == "TurnQueued") f.last_of_session = event.envelope.position;
  }
  for (const auto& [number, position] : acknowledged) {
    INFO("command " << number);
    const auto at = found.find(crash::id_of<base::CommandId>(number));
    REQUIRE(at != found.end());
    REQUIRE(at->second.last_of_session == position);
  }
  for (std::int64_t number = 1; number <= sent_max; ++number) {
    const auto at = found.find(crash::id_of<base::CommandId>(number));
    if (at == found.end()) continue;
    INFO("command " << number);
    // The command is there with all of its events, once.
    REQUIRE(at->second.types ==
            (crash::is_spawn(number) ? spawned : std::vector<std::string>{"TurnQueued"}));
    found.erase(at);
  }
  REQUIRE(found.empty());
}

void check_contents(eventlog::BlockStore& store, const Acknowledged& acknowledged) {
  for (const auto& [number, position] : acknowledged) {
    INFO("command " << number);
    const auto content = eventlog::read_content(store, position);
    REQUIRE(content);
    REQUIRE(*content);
    REQUIRE(((*content)->text == crash::prompt_of(number)));
  }
}

// Returns the first command whose events are not in the log; the next child goes on from there.
std::int64_t first_missing(eventlog::BlockStore& store) {
  std::set<base::CommandId> there;
  for (const auto& event : support::all_events(store)) there.insert(event.envelope.command);
  std::int64_t number = 1;
  while (there.contains(crash::id_of<base::CommandId>(number))) ++number;
  return number;
}

// Checks retries after a restart: an acknowledged command keeps its outcome, and the one after the
// last is decided now, once.
void check_retries(const std::string& folder, eventlog::BlockStore& store,
                   Acknowledged& acknowledged) {
  const auto rows = eventlog::open_rocksdb_key_value_store(folder + "/rows");
  REQUIRE(rows);
  support::DrivenLoop loop(store, **rows, crash::options(),
                           static_cast<std::uint64_t>(store.tail().value));
  const Position tail = store.tail();
  const auto last = std::prev(acknowledged.end());
  const auto again = loop.ask(crash::numbered_command(last->first));
  REQUIRE(again);
  CHECK(again->is_repeated);
  CHECK(again->position == last->second);
  CHECK(store.tail() == tail);
  const std::int64_t missing = first_missing(store);
  const auto fresh = loop.ask(crash::numbered_command(missing));
  INFO((fresh ? "" : fresh.error().text));
  REQUIRE(fresh);
  CHECK_FALSE(fresh->is_repeated);
  const auto repeated = loop.ask(crash::numbered_command(missing));
  REQUIRE(repeated);
  CHECK(repeated->is_repeated);
  CHECK(repeated->position == fresh->position);
  acknowledged[missing] = fresh->position;
}

TEST_CASE("whatever was acknowledged before a kill is in the log, once and whole",
          "[.crash][workers]") {
  const support::TempFolder temp(true);
  const std::string folder = temp.file("steno");
  std::filesystem::create_directory(folder);
  const std::int64_t seed = support::environment_number("STENO_KILL_SEED", 20, 0);
  const std::int64_t rounds = support::environment_number("STENO_KILL_ROUNDS", 20);
  const bool is_hasty = std::getenv("STENO_HASTY_CHILD") != nullptr;
  base::SeededRandom random(static_cast<std::uint64_t>(seed));
  Acknowledged acknowledged;
  std::int64_t first = 1;
  for (std::int64_t round = 1; round <= rounds; ++round) {
    const std::uint64_t wanted = 1 + random.below(round % 3 == 0 ? 10 : 250);
    INFO("seed " << seed << ", round " << round << ", killed after " << wanted
                 << " acknowledgements");
    Acknowledged fresh;
    {
      Child child(folder, first, kNoEnd, is_hasty);
      while (fresh.size() < wanted) {
        const auto ack = child.next();
        REQUIRE(ack);
        fresh.insert(*ack);
      }
      child.kill_and_wait();
      REQUIRE(child.was_killed());
      // Acknowledgements that it sent before it died count as well.
      while (const auto ack = child.next()) fresh.insert(*ack);
    }
    const std::int64_t sent_max = fresh.rbegin()->first + 1000;
    acknowledged.merge(fresh);
    const auto store = eventlog::open_rocksdb_store({folder + "/log"});
    REQUIRE(store);
    check_head(folder, **store, acknowledged);
    support::require_log_is_whole(**store);
    check_events(**store, acknowledged, sent_max);
    check_contents(**store, acknowledged);
    check_retries(folder, **store, acknowledged);
    support::require_log_is_whole(**store);
    // The parent committed without a head file; the next child's head follows that child's own
    // blocks.
    first = first_missing(**store);
    for (std::int64_t number = 1; number < first; ++number) {
      // A command that was not acknowledged and is in the log counts as acknowledged from now on.
      if (acknowledged.contains(number)) continue;
      for (const auto& event : support::all_events(**store)) {
        if (event.envelope.command == crash::id_of<base::CommandId>(number) &&
            event.envelope.type == "TurnQueued") {
          acknowledged[number] = event.envelope.position;
        }
      }
    }
  }
  std::printf(
      "{\"campaign\":\"sequencer_kills\",\"rounds\":%lld,\"violations\":0,\"seed\":%lld,"
      "\"acknowledged\":%zu}\n",
      static_cast<long long>(rounds), static_cast<long long>(seed), acknowledged.size());
  std::fflush(stdout);
}

TEST_CASE("a child that is left alone finishes its work", "[.crash][workers]") {
  const support::TempFolder temp(true);
  const std::string folder = temp.file("steno");
  std::filesystem::create_directory(folder);
  Child child(folder, 1, 120);
  Acknowledged all;
  while (const auto ack = child.next()) all.insert(*ack);
  CHECK(all.size() == 120);
  child.kill_and_wait();
  const auto store = eventlog::open_rocksdb_store({folder + "/log"});
  REQUIRE(store);
  check_head(folder, **store, all);
  check_events(**store, all, 120);
}

TEST_CASE("a child that acknowledges what is not durable is found out", "[.crash][workers]") {
  const support::TempFolder temp(true);
  bool is_found_out = false;
  for (int round = 0; round < 50 && !is_found_out; ++round) {
    const std::string folder = temp.file("steno" + std::to_string(round));
    std::filesystem::create_directory(folder);
    Acknowledged acknowledged;
    {
      Child child(folder, 1, kNoEnd, true);
      const auto ack = child.next();
      REQUIRE(ack);
      child.kill_and_wait();
      acknowledged.insert(*ack);
      while (const auto more = child.next()) acknowledged.insert(*more);
    }
    const auto store = eventlog::open_rocksdb_store({folder + "/log"});
    REQUIRE(store);
    for (const auto& [number, position] : acknowledged) {
      is_found_out = is_found_out || position > (*store)->tail();
    }
  }
  CHECK(is_found_out);
}

}  // namespace
