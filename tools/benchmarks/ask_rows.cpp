// approval_ms and hook_step_ms: the time by which a tool call takes longer because a rule grants
// it, or because a built-in hook is asked before it; less three durable appends.
//
// A scripted agent makes many calls in one turn: without being asked about, with a request for each
// that a rule grants, and, under a server with a hook, with a step for each. Turns of each go by
// turns. A request has three appends: it is raised with its answer or before it, it is answered,
// and the agent has been told.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "eventlog/domain/rules/commands.hpp"
#include "tools/benchmarks/agent_sessions.hpp"
#include "tools/benchmarks/append_file.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/rows.hpp"
#include "workers/json/event_json.hpp"

namespace benchmarks {
namespace {

constexpr int kTurnsOfAsks = 9;
constexpr int kTurnsOfAsksQuick = 3;
constexpr int kCallsOfAsks = 1000;
constexpr int kAppendsOfAsk = 3;
constexpr std::size_t kAskRecordBytes = 700;  // what one such append adds to the write-ahead log
constexpr Nanoseconds kAskTurnMax = std::chrono::minutes(1);
// Looks at the turn cost little, and find its end late by a hundredth of what its calls take.
constexpr Nanoseconds kAskLookEvery = std::chrono::milliseconds(5);

// One server and a session whose agent waits for prompts.
struct AskedAgent {
  std::unique_ptr<StenoServer> server;
  std::unique_ptr<OneCommand> one;
  std::unique_ptr<AgentSessions> agents;
  base::SessionId session;
  std::int64_t turns = 1;

  static base::Result<AskedAgent> start(Workbench& bench, const std::string& name,
                                        const std::string& settings) {
    AskedAgent made;
    const std::string home = bench.fresh_folder(name);
    std::ofstream(home + "/steno.toml") << settings;
    auto server = StenoServer::start_with_worker(bench, home, {});
    if (!server) return tl::unexpected(server.error());
    made.server = std::move(*server);
    auto one = OneCommand::connect(bench, *made.server);
    if (!one) return tl::unexpected(one.error());
    made.one = std::move(*one);
    auto agents = AgentSessions::connect(bench, *made.server, home);
    if (!agents) return tl::unexpected(agents.error());
    made.agents = std::move(*agents);
    domain::Spawn spawn = spawn_command();
    spawn.spec.workdir = home;
    spawn.spec.is_multi_turn = true;
    spawn.prompt = "[say ready]";
    const auto id = base::CommandId::make(bench.clock().wall(), bench.random());
    made.session = base::SessionId{id.bytes};
    if (auto ok = made.one->run(id, made.session, kLogAgent, spawn); !ok) {
      return tl::unexpected(ok.error());
    }
    if (auto ok = made.agents->wait_for_turns(1, kAskTurnMax); !ok) {
      return tl::unexpected(ok.error());
    }
    return made;
  }

  // Returns the milliseconds for each of so many calls in a turn.
  base::Result<double> take_turn(const std::string& prompt) {
    const Nanoseconds begin = now();
    if (auto ok = one->run(session, kLogAgent, domain::SendPrompt{prompt, false}); !ok) {
      return tl::unexpected(ok.error());
    }
    if (auto ok = agents->wait_for_turns(++turns, kAskTurnMax, kAskLookEvery); !ok) {
      return tl::unexpected(ok.error());
    }
    return seconds(now() - begin) * 1000 / kCallsOfAsks;
  }

  // Returns how many answers to the agent's requests and steps are on the record.
  base::Result<std::int64_t> answers() const {
    workers::QueryBody query;
    query.agent = kLogAgent;
    query.reference = session.text();
    std::int64_t count = 0;
    for (bool has_more = true; has_more;) {
      const auto page = one->answer_to<workers::RecordAnswer>(workers::kVerbRecord, query);
      if (!page) return tl::unexpected(page.error());
      count +=
          std::count_if(page->events.begin(), page->events.end(), [](const bus::FeedEvent& event) {
            const auto seen = workers::see(event);
            return seen && seen->recorded.event.is<domain::AskAnswered>();
          });
      has_more = page->has_more;
      query.after = page->through;
    }
    return count;
  }
};

// A figure of calls that nobody was asked about would mean nothing.
base::Result<void> check_answers(const AskedAgent& agent, std::int64_t expected) {
  const auto counted = agent.answers();
  if (!counted) return tl::unexpected(counted.error());
  if (*counted == expected) return {};
  return base::failure(
      base::ErrorCode::conflict,
      fmt::format("{} of {} calls have an answer on the record", *counted, expected));
}

base::Result<void> add_allowing_rule(OneCommand& one) {
  domain::AddRule rule;
  rule.pattern = "Bash";
  rule.verdict = domain::RuleVerdict::allow;
  const auto added = one.run(base::SessionId{}, "", domain::RulesCommand(rule));
  if (!added) return tl::unexpected(added.error());
  return {};
}

// Measures by how much calls of the second prompt take longer than those of the first.
base::Result<Figure> measure_asks(Workbench& bench, const std::string& name,
                                  const std::string& settings, const std::string& prompt) {
  const int turns = bench.is_quick() ? kTurnsOfAsksQuick : kTurnsOfAsks;
  auto plain = AskedAgent::start(bench, name + "-plain", {});
  if (!plain) return tl::unexpected(plain.error());
  auto asked = AskedAgent::start(bench, name, settings);
  if (!asked) return tl::unexpected(asked.error());
  if (auto ok = add_allowing_rule(*asked->one); !ok) return tl::unexpected(ok.error());
  const auto file =
      AppendFile::create(bench.fresh_folder(name + "-file") + "/appends", kAskRecordBytes);
  if (!file) return tl::unexpected(file.error());
  const std::string calls = fmt::format("[tools {}] [say done] ", kCallsOfAsks);
  std::vector<double> without;
  std::vector<double> with;
  Latencies syncs;
  for (int turn = 0; turn <= turns; ++turn) {
    bench.progress(fmt::format("{}_ms {}/{}", name, turn, turns));
    const auto a = plain->take_turn(calls);
    if (!a) return tl::unexpected(a.error());
    const auto b = asked->take_turn(calls + prompt);
    if (!b) return tl::unexpected(b.error());
    const auto appended = (*file)->append_for(std::chrono::seconds(1), kCallsOfAsks);
    if (!appended) return tl::unexpected(appended.error());
    if (turn == 0) continue;  // warms up
    without.push_back(*a);
    with.push_back(*b);
    syncs.add(*appended);
  }
  const std::int64_t calls_in_all = std::int64_t{turns + 1} * kCallsOfAsks;
  if (auto ok = check_answers(*asked, calls_in_all); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_answers(*plain, 0); !ok) return tl::unexpected(ok.error());
  const double longer = median(with) - median(without);
  const double appends = kAppendsOfAsk * seconds(syncs.p50()) * 1000;
  return Figure{
      longer - appends,
      {fmt::format("a call takes {:.3f} ms, and {:.3f} ms where it is asked about: {:.3f} "
                   "ms longer",
                   median(without), median(with), longer),
       fmt::format("an append of {} B with fdatasync: {}; the value is less {} of them",
                   kAskRecordBytes, p50_and_p99(syncs), kAppendsOfAsk),
       fmt::format("medians of {} turns of {} calls", turns, kCallsOfAsks)}};
}

}  // namespace

base::Result<Figure> measure_approval(Workbench& bench) {
  return measure_asks(bench, "approval", {}, "[ask]");
}

base::Result<Figure> measure_hook_step(Workbench& bench) {
  return measure_asks(bench, "hook_step",
                      "[[hooks]]\nname = \"gate\"\non = \"PreToolUse\"\nbuiltin = \"allow\"\n", "");
}

}  // namespace benchmarks
