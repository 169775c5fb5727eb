// Counts turns in the list's rows, and processes in /proc.
#include "tools/benchmarks/agent_sessions.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/stop.hpp"
#include "workers/processes/process_table.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kStopSeenAfter = std::chrono::milliseconds(100);
constexpr double kTailMax = 10;  // p99 over p50
constexpr Nanoseconds kLastTurnMax = std::chrono::seconds(10);
constexpr Nanoseconds kTurnsMax = std::chrono::minutes(1);

// Returns the living agents of the server's worker: the children of its keepers.
processes::ProcessTable agents_of(const StenoServer& server) {
  processes::ProcessTable ours =
      processes::descendants_of(server.pid(), processes::all_processes());
  std::erase_if(ours, [](const processes::ProcessRow& row) { return row.has_ended(); });
  std::set<pid_t> keepers;
  for (const processes::ProcessRow& row : ours) {
    if (row.name == processes::kKeeperName) keepers.insert(row.pid);
  }
  std::erase_if(ours, [&](const auto& row) { return !keepers.contains(row.parent); });
  return ours;
}

double private_bytes_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/smaps_rollup");
  double kib = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Private_")) kib += std::atof(line.c_str() + line.find(':') + 1);
  }
  return kib * 1024;
}

}  // namespace

bool PacedTurns::has_held() const {
  return p99_over_p50() <= kTailMax && last_turn_in <= kLastTurnMax;
}

std::string describe(const PacedTurns& turns) {
  return fmt::format(
      "{} sessions: prompts are accepted after {} ({:.1f} times); {} agents alive after {:.1f} s, "
      "all turns finished {:.1f} s later; processor time: server {:.1f} s, worker {:.1f} s",
      turns.sessions, p50_and_p99(turns.acks), turns.p99_over_p50(), turns.processes,
      seconds(turns.took), seconds(turns.last_turn_in), seconds(turns.server_cpu),
      seconds(turns.worker_cpu));
}

base::Result<void> wait_until(Nanoseconds moment) {
  for (;;) {
    if (is_stopped()) return stopped();
    const Nanoseconds left = moment - now();
    if (left.count() <= 0) return {};
    const timespec wait{0, std::min(left, kStopSeenAfter).count()};
    ppoll(nullptr, 0, &wait, nullptr);
  }
}

std::string usual_prompt() {
  std::string prompt = "[tools 2] [say The test passes now.] ";
  prompt.resize(kPromptBytes, 'p');
  return prompt;
}

base::Result<std::unique_ptr<AgentSessions>> AgentSessions::connect(Workbench& bench,
                                                                    const StenoServer& server,
                                                                    const std::string& workdir) {
  auto one = OneCommand::connect(bench, server);
  if (!one) return tl::unexpected(one.error());
  return std::unique_ptr<AgentSessions>(new AgentSessions(bench, server, std::move(*one), workdir));
}

base::Result<void> AgentSessions::spawn(std::size_t count, const std::string& prompt) {
  for (std::size_t i = 0; i < count; ++i) {
    if (is_stopped()) return stopped();
    domain::Spawn spawn = spawn_command();
    spawn.name = fmt::format("agent-{}", ++spawned_);
    spawn.spec.workdir = workdir_;
    spawn.prompt = prompt;
    const auto id = base::CommandId::make(bench_.clock().wall(), bench_.random());
    const base::SessionId session{id.bytes};
    if (auto ok = one_->run(id, session, kLogAgent, spawn); !ok) return tl::unexpected(ok.error());
    sessions_.push_back(session);
  }
  return {};
}

base::Result<PacedTurns> AgentSessions::take_turns(std::size_t count, Nanoseconds period) {
  const auto before = count_turns();
  if (!before) return tl::unexpected(before.error());
  const std::string prompt = usual_prompt();
  PacedTurns turns;
  turns.sessions = count;
  const Nanoseconds server_before = cpu_time(server_.pid());
  const Nanoseconds worker_before = cpu_time(server_.worker_pid());
  const Nanoseconds begin = now();
  for (std::size_t i = 0; i < count; ++i) {
    const Nanoseconds due = begin + period * i / count;
    const Nanoseconds late = std::max(now() - due, Nanoseconds{0});
    if (auto ok = wait_until(due); !ok) return tl::unexpected(ok.error());
    const auto took = one_->run(sessions_[i], kLogAgent, domain::SendPrompt{prompt, false});
    if (!took) return tl::unexpected(took.error());
    turns.acks.add(*took + late);
  }
  const Nanoseconds last = now();
  turns.took = last - begin;
  turns.processes = count_processes();
  const auto finished = before->finished + static_cast<std::int64_t>(count);
  if (auto ok = wait_for_turns(finished, kTurnsMax); !ok) return tl::unexpected(ok.error());
  turns.last_turn_in = now() - last;
  turns.server_cpu = cpu_time(server_.pid()) - server_before;
  turns.worker_cpu = cpu_time(server_.worker_pid()) - worker_before;
  return turns;
}

base::Result<void> AgentSessions::kill_down_to(std::size_t count, Nanoseconds timeout) {
  while (sessions_.size() > count) {
    if (is_stopped()) return stopped();
    const auto killed = one_->run(sessions_.back(), kLogAgent, domain::KillSession{});
    if (!killed) return tl::unexpected(killed.error());
    sessions_.pop_back();
  }
  const Nanoseconds deadline = now() + timeout;
  while (count_processes() > count) {
    if (now() > deadline) {
      return base::failure(base::ErrorCode::timeout, "agents of killed sessions do not end");
    }
    if (auto ok = wait_until(now() + kLookEvery); !ok) return ok;
  }
  return {};
}

base::Result<void> AgentSessions::wait_for_turns(std::int64_t finished, Nanoseconds timeout,
                                                 Nanoseconds look_every) {
  const Nanoseconds deadline = now() + timeout;
  for (;;) {
    const auto turns = count_turns();
    if (!turns) return tl::unexpected(turns.error());
    if (turns->failed > 0) {
      return base::failure(base::ErrorCode::conflict,
                           fmt::format("{} turns of scripted agents failed", turns->failed));
    }
    if (turns->finished >= finished) return {};
    if (now() > deadline) {
      return base::failure(
          base::ErrorCode::timeout,
          fmt::format("{} of {} turns are not finished", finished - turns->finished, finished));
    }
    if (auto ok = wait_until(now() + look_every); !ok) return ok;
  }
}

base::Result<TurnCounts> AgentSessions::count_turns() {
  TurnCounts counts;
  workers::QueryBody query;
  query.agent = kLogAgent;
  query.limit = projections::kSessionsMax;
  query.statuses = {domain::SessionStatus::starting, domain::SessionStatus::running,
                    domain::SessionStatus::failed};
  for (bool has_more = true; has_more;) {
    const auto page = one_->answer_to<workers::ListAnswer>(workers::kVerbList, query);
    if (!page) return tl::unexpected(page.error());
    for (const projections::SessionRow& row : page->sessions) {
      counts.finished += row.turns_finished;
      counts.under_way += row.turn.is_set() ? 1 : 0;
      counts.failed += row.turns_failed + (domain::is_live(row.status) ? 0 : 1);
    }
    has_more = page->has_more;
    query.before = page->before;
  }
  return counts;
}

std::size_t AgentSessions::count_processes() const {
  return agents_of(server_).size();
}

double AgentSessions::private_bytes_of_one() const {
  const processes::ProcessTable agents = agents_of(server_);
  if (agents.empty()) return 0;
  return private_bytes_of(agents.front().pid) + private_bytes_of(agents.front().parent);
}

}  // namespace benchmarks
