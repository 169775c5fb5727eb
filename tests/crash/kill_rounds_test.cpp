// P6, kill anything. The server, the worker, keepers and agents of a busy `steno serve` are killed
// with SIGKILL, round after round, at moments that a seed chooses. Some are stopped for a while
// before the kill or during it. After each round, every acknowledged command is in the log once. A
// separate process checks that no agent process is without an owner for longer than 2 s, and that
// no session has two agents. STENO_KILL_ROUNDS sets the number of rounds, STENO_KILL_SEED the seed.
#include <signal.h>

#include <cstdio>

#include "tests/crash/agent_owners.hpp"
#include "tests/crash/healing.hpp"
#include "tests/crash/require.hpp"
#include "tests/crash/whole_log.hpp"
#include "tests/support/environment_number.hpp"

namespace {

using base::Duration;
using crash::Load;
using crash::LogWatch;
using crash::Outcome;
using crash::ProcessTable;
using crash::require;
using crash::SentCommand;
using crash::StenoServer;
using support::environment_number;

constexpr Duration kAnswersMax = std::chrono::seconds(30);
constexpr std::uint64_t kAnswersOfRoundMax = 60;
constexpr std::uint64_t kEventsOfRoundMax = 200;
constexpr std::int64_t kWholeCheckEvery = 100;
constexpr int kRetriesOfRound = 4;

enum class Victim { server, worker, server_and_worker, keeper, agent, worker_and_keepers, all };
constexpr const char* kVictimNames[] = {
    "server", "worker", "server+worker", "keeper", "agent", "worker+keepers", "all"};

const char* name_of(Victim victim) {
  return kVictimNames[static_cast<int>(victim)];
}

Victim choose_victim(base::Random& random) {
  constexpr std::pair<unsigned, Victim> kShares[] = {
      {30, Victim::server}, {25, Victim::worker}, {20, Victim::server_and_worker},
      {6, Victim::keeper},  {5, Victim::agent},   {7, Victim::worker_and_keepers},
      {7, Victim::all}};
  std::uint64_t roll = random.below(100);
  for (const auto& [share, victim] : kShares) {
    if (roll < share) return victim;
    roll -= share;
  }
  return Victim::server;
}

// Returns how long a process is stopped. Some pauses are longer than the silence that a worker is
// allowed, here 1 s.
Duration choose_pause(base::Random& random) {
  const std::uint64_t roll = random.below(100);
  const std::uint64_t max_ms = roll < 75 ? 250 : roll < 93 ? 700 : 2200;
  return std::chrono::milliseconds(50 + random.below(max_ms));
}

// A pause of some processes around the kill of a round.
struct Pause {
  bool is_wanted = false;
  Victim who = Victim::server;
  Duration time{0};
  bool lasts_over_kill = false;
};

Pause choose_pause_of_round(base::Random& random) {
  constexpr Victim kWho[] = {Victim::server, Victim::worker, Victim::keeper, Victim::agent};
  Pause pause;
  pause.is_wanted = random.chance(40);
  pause.who = kWho[random.below(std::size(kWho))];
  pause.time = choose_pause(random);
  pause.lasts_over_kill = random.chance(50);
  return pause;
}

class KillRounds {
 public:
  explicit KillRounds(std::uint64_t seed)
      : seed_(seed),
        plan_(seed),
        random_(seed + 1),
        load_(server_.command_endpoint(), server_.home(), random_) {}

  void run(std::int64_t rounds) {
    heal();
    for (std::int64_t round = 1; round <= rounds; ++round) {
      const auto answers = static_cast<std::int64_t>(1 + plan_.below(kAnswersOfRoundMax));
      const auto events = static_cast<std::int64_t>(plan_.below(kEventsOfRoundMax));
      const Victim victim = choose_victim(plan_);
      const Pause pause = choose_pause_of_round(plan_);
      INFO("round " << round << ": " << name_of(victim) << " killed after " << answers
                    << " answers and " << events << " events; home " << server_.home());
      INFO((pause.is_wanted ? std::string(name_of(pause.who)) + " stopped" : "nobody stopped"));
      work(answers, events);
      kill(victim, pause);
      heal();
      require(crash::wait_for_owners(server_, load_, log_, healed_));
      check_watch();
      require(load_.settle(kAnswersMax));
      check_acknowledged();
      check_retries();
      load_.learn(log_.sessions());
      if (round % kWholeCheckEvery == 0) check_whole();
      if (!load_.fault().empty()) FAIL(load_.fault());
    }
    finish();
    tell(rounds);
    server_.forget_home();
  }

 private:
  void work(std::int64_t answers, std::int64_t events);
  void kill(Victim victim, const Pause& pause);
  void check_watch();
  ProcessTable choose(Victim victim);
  void heal();
  void check_acknowledged();
  void check_retries();
  void check_whole();
  void finish();
  void tell(std::int64_t rounds) const;

  const std::uint64_t seed_;
  base::SeededRandom plan_;    // what is killed, and when: the same in each run of a seed
  base::SeededRandom random_;  // what is sent and asked again: depends on how fast answers come
  base::SystemClock clock_;
  StenoServer server_;
  Load load_;
  LogWatch log_;
  std::map<Victim, std::int64_t> kills_;
  Duration healed_{0};  // boot time of the last death, or of the server's return after its own
  std::map<Victim, std::int64_t> pauses_;
  crash::WatchReport watched_;
  std::size_t checked_ = 0;  // commands of load_.sent() before this one were found in the log
};

// Runs until at least this many answers and events have come. With few answers the kill hits work
// that has just begun; with many events it hits agents in the midst of their work.
void KillRounds::work(std::int64_t answers, std::int64_t events) {
  const base::Position wanted{log_.position().value + events};
  require(load_.drive(answers, kAnswersMax));
  while (log_.position() < wanted) {
    require(log_.catch_up(load_));
    require(load_.drive(1, kAnswersMax));
  }
}

void KillRounds::kill(Victim victim, const Pause& pause) {
  ++kills_[victim];
  const ProcessTable stopped = pause.is_wanted ? choose(pause.who) : ProcessTable{};
  // A stopped process cannot end anybody, so the watch does not count this time.
  if (!stopped.empty()) server_.watch().pause();
  for (const auto& process : stopped) {
    if (server_.send(process, SIGSTOP)) ++pauses_[pause.who];
  }
  if (!stopped.empty() && !pause.lasts_over_kill) load_.drive_for(pause.time);
  if (pause.lasts_over_kill) require(server_.kill(choose(victim)));
  if (!stopped.empty() && pause.lasts_over_kill) load_.drive_for(pause.time);
  for (const auto& process : stopped) server_.send(process, SIGCONT);
  if (!stopped.empty()) server_.watch().excuse();
  if (!pause.lasts_over_kill) require(server_.kill(choose(victim)));
  healed_ = clock_.boot();
}

void KillRounds::check_watch() {
  watched_ = require(server_.watch().report());
  INFO(watched_.text);
  REQUIRE(watched_.is_clean());
}

ProcessTable KillRounds::choose(Victim victim) {
  ProcessTable victims;
  const auto add = [&](const std::optional<crash::ProcessRow>& row) {
    if (row) victims.push_back(*row);
  };
  const auto is_one_of = [&](std::initializer_list<Victim> some) {
    return std::find(some.begin(), some.end(), victim) != some.end();
  };
  if (is_one_of({Victim::server, Victim::server_and_worker, Victim::all})) add(server_.server());
  if (is_one_of(
          {Victim::worker, Victim::server_and_worker, Victim::worker_and_keepers, Victim::all})) {
    add(server_.worker());
  }
  if (is_one_of({Victim::worker_and_keepers, Victim::all})) {
    for (const auto& keeper : server_.keepers()) victims.push_back(keeper);
  }
  if (victim == Victim::keeper) {
    const auto keepers = server_.keepers();
    if (!keepers.empty()) victims.push_back(keepers[random_.below(keepers.size())]);
  }
  if (victim == Victim::agent) {
    const auto agents = crash::marked_processes(server_.lock_folder());
    if (!agents.empty()) victims.push_back(agents[random_.below(agents.size())].row);
  }
  return victims;
}

void KillRounds::heal() {
  if (!server_.server()) {
    // Without a server nobody can end an agent whose keeper was killed as well.
    server_.watch().pause();
    require(server_.start());
    healed_ = clock_.boot();
    server_.watch().excuse();
  }
  require(crash::wait_for_worker(server_, load_));
}

void KillRounds::check_acknowledged() {
  require(log_.catch_up(load_));
  for (; checked_ < load_.sent().size(); ++checked_) {
    const SentCommand& sent = load_.sent()[checked_];
    if (sent.outcome != Outcome::accepted) continue;
    INFO("command " << sent.id.text());
    REQUIRE(sent.reply.position <= log_.position());
    const auto* events = log_.find(sent.id);
    const bool makes_events = (domain::command_if<domain::Spawn>(sent.command) != nullptr) ||
                              (domain::command_if<domain::SendPrompt>(sent.command) != nullptr);
    if (makes_events) REQUIRE(events != nullptr);
    if (events == nullptr) continue;
    REQUIRE(events->last_of.at(sent.session) == sent.reply.position);
  }
}

// Repeats commands: a known outcome stays the same, an unknown one is known from now on.
void KillRounds::check_retries() {
  for (int i = 0; i < kRetriesOfRound; ++i) {
    const std::size_t back = random_.below(std::min<std::size_t>(load_.sent().size(), 200));
    const SentCommand sent = load_.sent()[load_.sent().size() - 1 - back];
    if (sent.outcome == Outcome::rejected) continue;
    const auto* before = log_.find(sent.id);
    INFO("command " << sent.id.text() << " again");
    const auto again = require(load_.ask(sent.id, sent.session, sent.command, kAnswersMax));
    if (before != nullptr) {
      REQUIRE(again.outcome == Outcome::accepted);
      REQUIRE(again.reply.is_repeated);
      REQUIRE(again.reply.position == before->last_of.at(sent.session));
    }
    if (again.outcome != Outcome::accepted) continue;
    require(log_.catch_up(load_));
    const auto third = require(load_.ask(sent.id, sent.session, sent.command, kAnswersMax));
    REQUIRE(third.outcome == Outcome::accepted);
    const bool has_events = log_.find(sent.id) != nullptr;
    CHECK(third.reply.is_repeated == has_events);
    if (has_events) REQUIRE(third.reply.position == again.reply.position);
  }
}

void KillRounds::check_whole() {
  require(crash::check_live_projections(server_, load_));
  require(crash::check_whole_log(server_, load_.sent()));
}

// Closes everything and checks the end: nothing runs, no turn is open, the server stops when told.
void KillRounds::finish() {
  INFO("at the end; home " << server_.home());
  for (const bool is_closing : {true, false}) {
    require(log_.catch_up(load_));
    for (const auto& [id, state] : log_.sessions()) {
      if (!domain::is_live(state.status)) continue;
      // A turn that hangs is not waited for; it ends with its session.
      if (is_closing && state.turn) continue;
      const auto command = is_closing ? domain::Command(domain::CloseSession{})
                                      : domain::Command(domain::KillSession{});
      require(load_.ask(load_.fresh_id(), id, command, kAnswersMax));
    }
  }
  require(crash::wait_for_quiet(load_, log_, crash::kHealMax));
  check_whole();
  CHECK(require(server_.stop()) == 0);
  CHECK(crash::marked_processes(server_.lock_folder()).empty());
  CHECK(server_.processes().empty());
  check_watch();
  require(crash::check_whole_log(server_, load_.sent()));
}

std::string text_of(const std::map<Victim, std::int64_t>& counts) {
  std::string text;
  for (const auto& [victim, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::string(name_of(victim)) + " " + std::to_string(count);
  }
  return text;
}

void KillRounds::tell(std::int64_t rounds) const {
  const auto counts = load_.counts();
  const auto print = [](const char* what, std::int64_t count) {
    std::printf("%s %lld", what, static_cast<long long>(count));
  };
  print("rounds", rounds);
  print("; accepted", counts.accepted);
  print(", rejected", counts.rejected);
  print(", unknown", counts.unknown);
  print(", retried", counts.retried);
  print("; events", log_.position().value);
  std::printf("\nkilled: %s\nstopped: %s\n", text_of(kills_).c_str(), text_of(pauses_).c_str());
  print("without an owner for a while", watched_.ownerless);
  print(" processes, none for longer than", watched_.slowest_ms);
  print(" ms; longest time between two looks", watched_.longest_gap_ms);
  std::printf(" ms\n");
  for (const auto& [code, count] : counts.rejected_as) {
    std::printf("  %s %lld\n", code.c_str(), static_cast<long long>(count));
  }
  std::printf(
      "{\"campaign\":\"kill_rounds\",\"rounds\":%lld,\"violations\":0,\"seed\":%llu,"
      "\"orphans\":%lld,\"doubles\":%lld,\"slowest_ms\":%lld,\"events\":%lld}\n",
      static_cast<long long>(rounds), static_cast<unsigned long long>(seed_),
      static_cast<long long>(watched_.orphans), static_cast<long long>(watched_.doubles),
      static_cast<long long>(watched_.slowest_ms), static_cast<long long>(log_.position().value));
  std::fflush(stdout);
}

TEST_CASE("whatever is killed, nothing acknowledged is lost and no agent is left alone",
          "[.crash][tools][R317][C09][C14]") {
  const auto seed = static_cast<std::uint64_t>(environment_number("STENO_KILL_SEED", 1, 0));
  const std::int64_t rounds = environment_number("STENO_KILL_ROUNDS", 80);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  INFO("STENO_KILL_SEED=" << seed);
  KillRounds(seed).run(rounds);
}

}  // namespace
