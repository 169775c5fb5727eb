// P6, kill anything: the server, the worker, keepers and agents of a busy `steno serve` are killed
// with SIGKILL at moments that a seed chooses, round after round. After each, what was acknowledged
// is in the log once, and no agent process is left without an owner 2 s later. STENO_KILL_ROUNDS
// sets the number of rounds, STENO_KILL_SEED the seed.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/crash/agent_owners.hpp"
#include "tests/crash/load.hpp"
#include "tests/crash/log_watch.hpp"
#include "tests/crash/steno_server.hpp"
#include "tests/crash/whole_log.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;
using base::Result;
using crash::Load;
using crash::LogWatch;
using crash::Outcome;
using crash::ProcessTable;
using crash::SentCommand;
using crash::StenoServer;

constexpr Duration kOrphanMax = std::chrono::seconds(2);
constexpr Duration kHealMax = std::chrono::seconds(20);
constexpr Duration kAnswersMax = std::chrono::seconds(30);
constexpr Duration kPause =
    std::chrono::milliseconds(10);  // between two looks at what is waited for
constexpr std::int64_t kWholeCheckEvery = 25;
constexpr int kRetriesOfRound = 3;

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

template <class T>
T require(Result<T> result) {
  if (!result) FAIL(base::describe(result.error()));
  return std::move(*result);
}

std::vector<std::string> flags() {
  return {"--max-sessions",     "50",
          "--kill-grace",       "300ms",
          "--scripted-program", "/usr/bin/env STENO_SCRIPTED_CHILD=1 " STENO_SCRIPTED_AGENT,
          "--keeper-program",   STENO_KEEPER};
}

enum class Victim { server, worker, server_and_worker, keeper, agent, worker_and_keepers, all };
constexpr const char* kVictimNames[] = {
    "server", "worker", "server+worker", "keeper", "agent", "worker+keepers", "all"};

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

class KillRounds {
 public:
  explicit KillRounds(std::uint64_t seed) : random_(seed), server_(flags()) {}

  void run(std::int64_t rounds) {
    require(server_.start());
    load_ = std::make_unique<Load>(server_.command_endpoint(), server_.home(), random_);
    heal();
    for (std::int64_t round = 1; round <= rounds; ++round) {
      const std::int64_t answers = 1 + static_cast<std::int64_t>(random_.below(40));
      const Victim victim = choose_victim(random_);
      INFO("round " << round << ": " << kVictimNames[static_cast<int>(victim)] << " killed after "
                    << answers << " answers; home " << server_.home());
      const auto t0 = clock_.boot();
      require(load_->drive(answers, kAnswersMax));
      const auto t1 = clock_.boot();
      kill(victim);
      const auto t2 = clock_.boot();
      heal();
      const auto t3 = clock_.boot();
      require(load_->settle(kAnswersMax));
      const auto t4 = clock_.boot();
      check_owners();
      const auto t5 = clock_.boot();
      check_acknowledged();
      check_retries();
      const auto t6 = clock_.boot();
      std::map<std::string,int> st; for (auto& [id, x] : log_.sessions()) { ++st[std::string(base::enum_name(x.status))]; if (session::is_live(x.status) && x.lease) ++st["live+lease"]; }
      if (std::getenv("STENO_KILL_STAGES")) for (auto& [a, n] : st) std::printf("%s %d ", a.c_str(), n);
      if (std::getenv("STENO_KILL_STAGES")) std::printf("%-15s drive %ld kill %ld heal %ld settle %ld owners %ld rest %ld marked %zu\n", kVictimNames[static_cast<int>(victim)], (t1-t0)/1ms, (t2-t1)/1ms, (t3-t2)/1ms, (t4-t3)/1ms, (t5-t4)/1ms, (t6-t5)/1ms, crash::marked_processes(server_.lock_folder()).size());
      load_->learn(log_.sessions());
      if (round % kWholeCheckEvery == 0) check_whole();
      if (!load_->fault().empty()) FAIL(load_->fault());
    }
    finish();
    tell(rounds);
    server_.forget_home();
  }

 private:
  void kill(Victim victim);
  void heal();
  void check_owners();
  void check_acknowledged();
  void check_retries();
  void check_whole();
  void finish();
  void tell(std::int64_t rounds) const;
  std::string unowned();

  base::SeededRandom random_;
  base::SystemClock clock_;
  StenoServer server_;
  std::unique_ptr<Load> load_;
  LogWatch log_{server_.data_folder()};
  std::map<Victim, std::int64_t> kills_;
  Duration owned_since_{0};  // the last death, or the server's return after its own
  Duration longest_unowned_{0};
  std::size_t checked_ = 0;  // of load_->sent(): those before it have been found in the log
};

void KillRounds::kill(Victim victim) {
  ProcessTable victims;
  const auto add = [&](const std::optional<crash::ProcessRow>& row) {
    if (row) victims.push_back(*row);
  };
  const auto is_of = [&](std::initializer_list<Victim> some) {
    return std::find(some.begin(), some.end(), victim) != some.end();
  };
  if (is_of({Victim::server, Victim::server_and_worker, Victim::all})) add(server_.server());
  if (is_of({Victim::worker, Victim::server_and_worker, Victim::worker_and_keepers, Victim::all})) {
    add(server_.worker());
  }
  if (is_of({Victim::worker_and_keepers, Victim::all})) {
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
  ++kills_[victim];
  require(server_.kill(victims));
  owned_since_ = clock_.boot();
}

// The server runs, and a living worker is registered with it.
void KillRounds::heal() {
  if (!server_.server()) {
    require(server_.start());
    owned_since_ = clock_.boot();
  }
  const Duration deadline = clock_.boot() + kHealMax;
  for (;;) {
    const auto status =
        require(load_->query<workers::StatusAnswer>(workers::kVerbStatus, kHealMax));
    const auto worker = server_.worker();
    if (worker && status.worker_pids == std::vector<std::int64_t>{worker->pid}) return;
    if (clock_.boot() > deadline) {
      FAIL("waited for the living worker to be the one that is registered; "
           << status.workers << " are");
    }
    load_->pump(kPause);
  }
}

std::string KillRounds::unowned() {
  const auto worker = server_.worker();
  const auto marked = crash::marked_processes(server_.lock_folder());
  require(log_.catch_up());
  return crash::describe_unowned(marked, worker ? worker->pid : 0, log_.sessions());
}

void KillRounds::check_owners() {
  for (;;) {
    const std::string text = unowned();
    if (text.empty()) break;
    if (clock_.boot() - owned_since_ > kOrphanMax) FAIL("without an owner:\n" << text);
    load_->pump(kPause);
  }
  longest_unowned_ = std::max(longest_unowned_, clock_.boot() - owned_since_);
}

void KillRounds::check_acknowledged() {
  require(log_.catch_up());
  for (; checked_ < load_->sent().size(); ++checked_) {
    const SentCommand& sent = load_->sent()[checked_];
    if (sent.outcome != Outcome::accepted) continue;
    INFO("command " << sent.id.text());
    REQUIRE(sent.reply.position <= log_.position());
    const auto* events = log_.find(sent.id);
    const bool makes_events = std::holds_alternative<session::Spawn>(sent.command) ||
                              std::holds_alternative<session::SendPrompt>(sent.command);
    if (makes_events) REQUIRE(events != nullptr);
    if (events == nullptr) continue;
    REQUIRE(events->last_of.at(sent.session) == sent.reply.position);
  }
}

// A retried command has the outcome that it had; one whose outcome was unknown has one from now on.
void KillRounds::check_retries() {
  for (int i = 0; i < kRetriesOfRound; ++i) {
    const std::size_t back = random_.below(std::min<std::size_t>(load_->sent().size(), 200));
    const SentCommand sent = load_->sent()[load_->sent().size() - 1 - back];
    if (sent.outcome == Outcome::rejected) continue;
    const auto* before = log_.find(sent.id);
    INFO("command " << sent.id.text() << " again");
    const auto again = require(load_->ask(sent.id, sent.session, sent.command, kAnswersMax));
    if (before != nullptr) {
      REQUIRE(again.outcome == Outcome::accepted);
      REQUIRE(again.reply.is_repeated);
      REQUIRE(again.reply.position == before->last_of.at(sent.session));
    }
    if (again.outcome != Outcome::accepted) continue;
    require(log_.catch_up());
    const auto third = require(load_->ask(sent.id, sent.session, sent.command, kAnswersMax));
    REQUIRE(third.outcome == Outcome::accepted);
    const bool has_events = log_.find(sent.id) != nullptr;
    CHECK(third.reply.is_repeated == has_events);
    if (has_events) REQUIRE(third.reply.position == again.reply.position);
  }
}

void KillRounds::check_whole() {
  require(crash::check_live_projections(server_, *load_));
  require(crash::check_whole_log(server_, load_->sent()));
}

// Everything is closed; then nothing runs, no turn is open, and the server goes when it is told to.
void KillRounds::finish() {
  INFO("at the end; home " << server_.home());
  require(log_.catch_up());
  const auto all = log_.sessions();
  for (const auto& [id, state] : all) {
    if (!session::is_live(state.status)) continue;
    const auto command = random_.chance(50) ? session::ClientCommand(session::KillSession{})
                                            : session::ClientCommand(session::CloseSession{});
    const auto command_id = base::CommandId::make(clock_.wall(), random_);
    require(load_->ask(command_id, id, command, kAnswersMax));
  }
  const Duration deadline = clock_.boot() + kHealMax;
  for (bool is_killing = false;;) {
    require(log_.catch_up());
    std::vector<base::SessionId> open;
    for (const auto& [id, state] : log_.sessions()) {
      const bool is_over =
          session::is_terminal(state.status) && !state.lease && !state.turn && state.queue.empty();
      if (!is_over) open.push_back(id);
    }
    if (open.empty()) break;
    const Duration left = deadline - clock_.boot();
    if (left < 0s) FAIL(open.size() << " sessions have not ended, such as " << open[0].text());
    // Those that hang do not close by themselves.
    if (!is_killing && left < kHealMax - kOrphanMax) {
      is_killing = true;
      for (const auto& id : open) {
        const auto command_id = base::CommandId::make(clock_.wall(), random_);
        require(load_->ask(command_id, id, session::KillSession{}, kAnswersMax));
      }
    }
    load_->pump(kPause);
  }
  check_whole();
  CHECK(require(server_.stop()) == 0);
  CHECK(crash::marked_processes(server_.lock_folder()).empty());
  CHECK(server_.processes().empty());
  require(crash::check_whole_log(server_, load_->sent()));
}

void KillRounds::tell(std::int64_t rounds) const {
  const auto counts = load_->counts();
  std::string kills;
  for (const auto& [victim, count] : kills_) {
    kills += std::string(kills.empty() ? "" : ", ") + kVictimNames[static_cast<int>(victim)] + " " +
             std::to_string(count);
  }
  std::printf(
      "rounds %lld; accepted %lld, rejected %lld, unknown %lld, retried %lld; killed: %s; "
      "events %lld; orphans 0, the last one gone after %lld ms at most\n",
      static_cast<long long>(rounds), static_cast<long long>(counts.accepted),
      static_cast<long long>(counts.rejected), static_cast<long long>(counts.unknown),
      static_cast<long long>(counts.retried), kills.c_str(),
      static_cast<long long>(log_.position().value),
      static_cast<long long>(longest_unowned_ / std::chrono::milliseconds(1)));
  for (const auto& [code, count] : counts.rejected_as) {
    std::printf("  %s %lld\n", code.c_str(), static_cast<long long>(count));
  }
  std::fflush(stdout);
}

TEST_CASE("whatever is killed, nothing acknowledged is lost and no agent is left alone",
          "[.crash][tools]") {
  const auto seed = static_cast<std::uint64_t>(setting("STENO_KILL_SEED", 1));
  const std::int64_t rounds = setting("STENO_KILL_ROUNDS", 200);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  INFO("STENO_KILL_SEED=" << seed);
  KillRounds(seed).run(rounds);
}

}  // namespace
