// The command loop: answers only when durable, the same outcome for every copy of a command, order
// within a session, room for everybody in a full inbox, and eviction.
#include "workers/commands/command_loop.hpp"

#include "tests/support/driven_loop.hpp"

namespace workers {
namespace {

using domain::RejectionCode;
using domain::SessionStatus;
using support::as_command;
using support::DrivenLoop;
using support::LastingStores;
using support::numbered;
using support::stream_of;

const domain::Command kKill = as_command(domain::KillSession{});
const domain::Command kGrant = as_command(domain::GrantLease{numbered<base::WorkerId>(1)});

domain::Command prompt(std::string text) {
  return as_command(domain::SendPrompt{std::move(text), false});
}

// Returns the message as the server's own; only clients' commands are remembered.
CommandMessage from_server(CommandMessage m) {
  m.actor_kind = domain::ActorKind::server;
  return m;
}

struct CommandWorld : LastingStores {
  explicit CommandWorld(CommandLoopOptions options = {}) : loop(store, *rows, options) {}
  DrivenLoop loop;
};

const domain::SessionReply& of_session(const CommandOutcome& outcome) {
  return std::get<domain::SessionReply>(outcome->reply);
}

CommandLoopOptions many_sessions() {
  CommandLoopOptions options;
  options.limits.max_sessions = 1000;
  return options;
}

TEST_CASE("a command is answered only when its events are durable",
          "[workers][R016][R034][R305][C09]") {
  CommandWorld w;
  const Ticket ticket = w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  w.loop.decide();
  REQUIRE(w.loop.committer.submitted());
  for (int i = 0; i < 5; ++i) w.loop.decide();
  CHECK(w.loop.answers.empty());
  CHECK(w.loop.worker.find<domain::SessionStream>(
            domain::session_stream("main", numbered<base::SessionId>(1))) != nullptr);
  w.loop.commit();
  REQUIRE(w.loop.answers.contains(ticket));
  const auto& outcome = w.loop.answers.at(ticket);
  REQUIRE(outcome);
  const auto& reply = std::get<domain::SessionReply>(outcome->reply);
  CHECK(reply.status == SessionStatus::starting);
  CHECK(reply.name == "work");
  CHECK(reply.alias.size() == 8);
  CHECK_FALSE(outcome->is_repeated);
  // The answer names the last event of the session; events of registry and admission lie behind it.
  CHECK(w.loop.events.at(static_cast<std::size_t>(outcome->position.value) - 1).envelope.type ==
        "TurnQueued");
}

TEST_CASE("a spawn appends to session, registry and admission in one block", "[workers]") {
  CommandWorld w;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  std::vector<std::string> types;
  for (const auto& e : w.loop.events) types.push_back(e.envelope.type);
  CHECK(types ==
        std::vector<std::string>{"SessionOpened", "SessionNamed", "TurnQueued", "SessionAdmitted"});
  CHECK(w.store.read({1}, 1 << 20, false)->size() == 1);
}

CommandMessage of_agent(std::string agent, CommandMessage m) {
  m.agent = std::move(agent);
  return m;
}

TEST_CASE("no two agents have a session with one id, live, ended, evicted or of an earlier server",
          "[workers][R013]") {
  LastingStores stores;
  const auto refused = [](DrivenLoop& loop, int command) {
    const Position tail = loop.sequencer.tail();
    const auto outcome =
        loop.ask(of_agent("other", DrivenLoop::message(1, command, DrivenLoop::spawn())));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == RejectionCode::already_exists);
    CHECK(outcome.error().text.find("main") == std::string::npos);
    CHECK(loop.sequencer.tail() == tail);
    CHECK(loop.worker.of<domain::AdmissionStream>().inconsistent.value == 0);
  };
  CommandLoopOptions options;
  options.idle_max = base::Duration{2};
  {
    DrivenLoop loop(stores.store, *stores.rows, options);
    REQUIRE(loop.ask(of_agent("other", DrivenLoop::message(2, 1, DrivenLoop::spawn()))));
    REQUIRE(loop.ask(DrivenLoop::message(1, 2, DrivenLoop::spawn())));
    refused(loop, 3);
    REQUIRE(loop.ask(DrivenLoop::message(1, 4, kKill)));
    refused(loop, 5);
    loop.set_time(loop.time() + 1000);
    loop.settle();
    loop.settle();
    refused(loop, 6);
  }
  DrivenLoop later(stores.store, *stores.rows, options, 6);
  refused(later, 7);
  // An agent that has no session yet is no way around it.
  const auto third = later.ask(of_agent("third", DrivenLoop::message(1, 8, DrivenLoop::spawn())));
  REQUIRE_FALSE(third);
  CHECK(third.error().code == RejectionCode::already_exists);
}

TEST_CASE("two spawns of one id that come at once make one session", "[workers]") {
  CommandWorld w;
  const Ticket first = w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  const Ticket second =
      w.loop.submit(of_agent("other", DrivenLoop::message(1, 2, DrivenLoop::spawn())));
  w.loop.settle();
  CHECK(w.loop.answers.at(first).has_value() != w.loop.answers.at(second).has_value());
  CHECK(w.loop.worker.of<domain::AdmissionStream>().live.size() == 1);
}

TEST_CASE("a repeated command has the same outcome and no further events", "[workers]") {
  CommandWorld w;
  const auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  const auto first = w.loop.ask(spawn);
  REQUIRE(first);
  const Position tail = w.loop.sequencer.tail();
  const auto second = w.loop.ask(spawn);
  REQUIRE(second);
  CHECK(second->is_repeated);
  CHECK(second->position == first->position);
  CHECK(of_session(second).name == of_session(first).name);
  CHECK(of_session(second).alias == of_session(first).alias);
  CHECK(w.loop.sequencer.tail() == tail);
}

TEST_CASE("what the server may have to send again is remembered, and recorded as its own",
          "[workers]") {
  CommandWorld w;
  auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  spawn.actor_kind = domain::ActorKind::server;
  spawn.is_sent_again = true;
  const auto first = w.loop.ask(spawn);
  REQUIRE(first);
  CHECK(w.loop.events.back().envelope.actor_kind == domain::ActorKind::server);
  // Its body can be another one after a restart: the id says what it is about.
  spawn.digest = {'x'};
  const auto second = w.loop.ask(spawn);
  REQUIRE(second);
  CHECK(second->is_repeated);
  CHECK(second->position == first->position);
}

TEST_CASE(
    "what an earlier release recorded as a client's is known to the server that sends it again",
    "[workers]") {
  CommandWorld w;
  auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  spawn.digest = {};
  const auto first = w.loop.ask(spawn);
  REQUIRE(first);
  spawn.actor_kind = domain::ActorKind::server;
  spawn.is_sent_again = true;
  const auto second = w.loop.ask(spawn);
  REQUIRE(second);
  CHECK(second->is_repeated);
}

TEST_CASE("a repeated command is answered with the first one, not before it", "[workers]") {
  CommandWorld w;
  const auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  const Ticket first = w.loop.submit(spawn);
  const Ticket second = w.loop.submit(spawn);
  w.loop.decide();
  CHECK(w.loop.answers.empty());
  w.loop.commit();
  REQUIRE(w.loop.answers.contains(first));
  REQUIRE(w.loop.answers.contains(second));
  CHECK_FALSE(w.loop.answers.at(first)->is_repeated);
  CHECK(w.loop.answers.at(second)->is_repeated);
}

TEST_CASE("a copy of a refused command is refused, and who asks anew is decided anew",
          "[workers]") {
  CommandLoopOptions options;
  options.limits.max_sessions = 1;
  CommandWorld w(options);
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  auto second = DrivenLoop::message(2, 2, DrivenLoop::spawn());
  second.ask = 20;
  const auto refused = w.loop.ask(second);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::session_limit);
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 3, kKill)));
  CHECK(w.loop.ask(second).error() == refused.error());
  second.ask = 19;  // from an earlier life of its sender
  CHECK(w.loop.ask(second).error() == refused.error());
  second.ask = 21;
  CHECK(w.loop.ask(second));
}

TEST_CASE("a refusal is forgotten two minutes after its last copy", "[workers]") {
  CommandLoopOptions options;
  options.limits.max_sessions = 1;
  CommandWorld w(options);
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  auto second = DrivenLoop::message(2, 2, DrivenLoop::spawn());
  second.ask = 20;
  REQUIRE_FALSE(w.loop.ask(second));
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 3, kKill)));
  const auto pass = [&](std::chrono::seconds time) {
    w.loop.set_time(w.loop.time() + base::Duration(time).count());
  };
  pass(std::chrono::seconds(119));
  REQUIRE_FALSE(w.loop.ask(second));
  pass(std::chrono::seconds(119));
  REQUIRE_FALSE(w.loop.ask(second));
  pass(std::chrono::seconds(121));
  CHECK(w.loop.ask(second));
}

TEST_CASE("a command that finds the inbox full hears nothing of its fate", "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.inbox_max = 1;
  CommandWorld w(options);
  auto first = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  first.ask = 1;
  const Ticket taken = w.loop.submit(first);
  const Ticket copy = w.loop.submit(first);
  w.loop.settle();
  REQUIRE(w.loop.answers.at(taken));
  REQUIRE_FALSE(w.loop.answers.at(copy));
  CHECK(domain::is_undecided(w.loop.answers.at(copy).error().code));

  // The command is not remembered as refused: the same ask is accepted once there is room.
  w.loop.submit(DrivenLoop::message(2, 2, DrivenLoop::spawn()));
  auto third = DrivenLoop::message(3, 3, DrivenLoop::spawn());
  third.ask = 1;
  const Ticket full = w.loop.submit(third);
  w.loop.settle();
  CHECK(w.loop.answers.at(full).error().code == RejectionCode::busy);
  CHECK(w.loop.ask(third));
}

TEST_CASE("a repeated command is known after a restart", "[workers]") {
  LastingStores disk;
  const auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  Accepted before;
  {
    DrivenLoop loop(disk.store, *disk.rows);
    const auto outcome = loop.ask(spawn);
    REQUIRE(outcome);
    before = *outcome;
    REQUIRE(loop.ask(DrivenLoop::message(1, 2, kKill)));
  }
  const Position tail = disk.store.tail();
  DrivenLoop loop(disk.store, *disk.rows);
  const auto after = loop.ask(spawn);
  REQUIRE(after);
  CHECK(after->is_repeated);
  CHECK(after->position == before.position);
  CHECK(of_session(after).alias == std::get<domain::SessionReply>(before.reply).alias);
  CHECK(of_session(after).status == SessionStatus::killed);
  CHECK(disk.store.tail() == tail);
}

TEST_CASE("a command id with another body is refused", "[workers]") {
  CommandWorld w;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  auto other = DrivenLoop::message(1, 1, kKill);
  other.digest[0] = 'x';
  const auto outcome = w.loop.ask(other);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == RejectionCode::id_reused);
  CHECK(
      w.loop.worker
          .find<domain::SessionStream>(domain::session_stream("main", numbered<base::SessionId>(1)))
          ->status == SessionStatus::starting);
}

TEST_CASE("a rejection is not remembered", "[workers]") {
  CommandWorld w;
  const auto early = DrivenLoop::message(1, 2, prompt("hello"));
  CHECK(w.loop.ask(early).error().code == RejectionCode::not_found);
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  const auto outcome = w.loop.ask(early);
  REQUIRE(outcome);
  CHECK_FALSE(outcome->is_repeated);
}

TEST_CASE("an expected version that is not the stream's is a conflict", "[workers]") {
  CommandWorld w;
  auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  spawn.expected_version = base::StreamVersion{1};
  CHECK(w.loop.ask(spawn).error().code == RejectionCode::version_conflict);
  spawn.expected_version = base::StreamVersion{0};
  REQUIRE(w.loop.ask(spawn));
  auto send = DrivenLoop::message(1, 2, prompt("more"));
  for (const std::int64_t wrong : {0, 1, 2, 4}) {
    send.expected_version = base::StreamVersion{wrong};
    CHECK(w.loop.ask(send).error().code == RejectionCode::version_conflict);
  }
  send.expected_version = base::StreamVersion{3};
  REQUIRE(w.loop.ask(send));
  // A retry gets the earlier answer, whatever version it expects.
  CHECK(w.loop.ask(send)->is_repeated);
}

TEST_CASE("a command whose deadline is over is not decided", "[workers]") {
  CommandWorld w;
  w.loop.set_time(5'000'000);
  auto late = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  late.deadline = {4'999'999};
  CHECK(w.loop.ask(late).error().code == RejectionCode::deadline_passed);
  late.deadline = {6'000'000};
  CHECK(w.loop.ask(late));
}

TEST_CASE("a rejection leaves only when what it was computed from is durable", "[workers]") {
  CommandWorld w;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  const Ticket kill = w.loop.submit(DrivenLoop::message(1, 2, kKill));
  const Ticket send = w.loop.submit(DrivenLoop::message(1, 3, prompt("too late")));
  const Ticket repeat = w.loop.submit(DrivenLoop::message(1, 4, kKill));
  const Ticket unrelated = w.loop.submit(DrivenLoop::message(9, 5, kKill));
  for (int i = 0; i < 4; ++i) w.loop.decide();
  CHECK_FALSE(w.loop.answers.contains(kill));
  CHECK_FALSE(w.loop.answers.contains(send));
  CHECK_FALSE(w.loop.answers.contains(repeat));
  w.loop.commit();
  CHECK(of_session(w.loop.answers.at(kill)).status == SessionStatus::killed);
  CHECK(w.loop.answers.at(send).error().code == RejectionCode::session_ended);
  CHECK(of_session(w.loop.answers.at(repeat)).status == SessionStatus::killed);
  CHECK(w.loop.answers.at(unrelated).error().code == RejectionCode::not_found);
}

TEST_CASE("nothing is answered after the log's fate is in doubt", "[workers]") {
  CommandWorld w;
  w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  w.loop.decide();
  w.loop.committer.fail(eventlog::AppendStatus::unknown);
  w.loop.decide();
  w.loop.submit(DrivenLoop::message(2, 2, DrivenLoop::spawn()));
  for (int i = 0; i < 5; ++i) w.loop.decide();
  CHECK(w.loop.answers.empty());
  CHECK(w.loop.sequencer.failure());
  CHECK(w.loop.worker.waiting() == 1);
}

TEST_CASE("commands of one session are decided in their order while it is loaded", "[workers]") {
  CommandWorld w;
  w.loop.loader.held.insert(stream_of(1));
  std::vector<Ticket> tickets;
  tickets.push_back(w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  for (int i = 2; i <= 5; ++i) {
    tickets.push_back(
        w.loop.submit(DrivenLoop::message(1, i, prompt("prompt " + std::to_string(i)))));
  }
  tickets.push_back(w.loop.submit(DrivenLoop::message(1, 6, kKill)));
  tickets.push_back(w.loop.submit(DrivenLoop::message(1, 7, prompt("too late"))));
  // Another session does not wait for this one.
  REQUIRE(w.loop.ask(DrivenLoop::message(2, 8, DrivenLoop::spawn())));
  CHECK(w.loop.answers.size() == 1);
  CHECK(w.loop.worker.waiting() == 7);
  w.loop.loader.held.clear();
  w.loop.settle();
  CHECK(w.loop.worker.waiting() == 0);
  for (std::size_t i = 0; i + 1 < tickets.size(); ++i) REQUIRE(w.loop.answers.at(tickets[i]));
  CHECK(w.loop.answers.at(tickets.back()).error().code == RejectionCode::session_ended);
  std::vector<base::CommandId> commands;
  for (const auto& e : w.loop.events) {
    if (e.envelope.stream != stream_of(1)) continue;
    if (commands.empty() || commands.back() != e.envelope.command) {
      commands.push_back(e.envelope.command);
    }
  }
  REQUIRE(commands.size() == 6);
  for (int i = 0; i < 6; ++i) {
    CHECK(commands[static_cast<std::size_t>(i)] == numbered<base::CommandId>(i + 1));
  }
}

TEST_CASE("order is kept while the streams of a decision arrive one by one", "[workers]") {
  CommandWorld w;
  const std::string names[] = {"$admission", "main/registry", stream_of(1), stream_of(2)};
  for (const std::string& name : names) w.loop.loader.held.insert(name);
  domain::Spawn resume;
  resume.spec = support::sample_spec(true);
  resume.prompt = "go on";
  resume.resume = numbered<base::SessionId>(2);
  const Ticket first = w.loop.submit(DrivenLoop::message(1, 1, as_command(resume)));
  const Ticket second = w.loop.submit(DrivenLoop::message(1, 2, DrivenLoop::spawn()));
  const Ticket third = w.loop.submit(DrivenLoop::message(1, 3, kKill));
  for (const std::string& name : names) {
    w.loop.settle();
    CHECK(w.loop.answers.empty());
    w.loop.loader.held.erase(name);
  }
  w.loop.settle();
  CHECK(w.loop.order == std::vector<Ticket>{first, second, third});
  CHECK(w.loop.answers.at(first).error().code == RejectionCode::not_found);
  CHECK(w.loop.answers.at(second));
  CHECK(of_session(w.loop.answers.at(third)).status == SessionStatus::killed);
}

TEST_CASE("a command whose stream cannot be read hears so, and its next copy tries again",
          "[workers]") {
  const std::string broken = GENERATE(std::string("main/registry"), std::string("session"));
  CommandWorld w;
  w.loop.loader.failing.insert(broken == "session" ? stream_of(1) : broken);
  auto spawn = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  spawn.ask = 1;
  const auto undecided = w.loop.ask(spawn);
  REQUIRE_FALSE(undecided);
  CHECK(undecided.error().code == RejectionCode::unavailable);
  CHECK(domain::is_undecided(undecided.error().code));
  CHECK(w.loop.sequencer.tail() == Position{0});
  w.loop.loader.failing.clear();
  REQUIRE(w.loop.ask(spawn));
}

TEST_CASE("all commands that wait for a stream that cannot be read are refused", "[workers]") {
  CommandWorld w;
  w.loop.loader.failing.insert(stream_of(1));
  std::vector<Ticket> tickets;
  for (int i = 1; i <= 5; ++i) {
    tickets.push_back(w.loop.submit(DrivenLoop::message(1, i, kKill)));
  }
  w.loop.settle();
  for (const Ticket ticket : tickets) {
    REQUIRE(w.loop.answers.contains(ticket));
    CHECK(w.loop.answers.at(ticket).error().code == RejectionCode::unavailable);
  }
}

TEST_CASE("a resumed session's source is told in the same block", "[workers]") {
  CommandWorld w;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(false))));
  REQUIRE(w.loop.ask(from_server(DrivenLoop::message(1, 2, kGrant))));
  auto report = [&](std::int64_t sequence, domain::Report r) {
    auto m = DrivenLoop::message(1, 100 + static_cast<int>(sequence),
                                 support::report(sequence, std::move(r)));
    m.actor_kind = domain::ActorKind::worker;
    return w.loop.ask(m);
  };
  REQUIRE(report(1, domain::ReportInitialized{"agent-session", "m", "1"}));
  REQUIRE(report(2, domain::ReportAgentExited{1, 0, "bad", false, true, {}}));
  domain::Spawn resume;
  resume.spec = support::sample_spec(true);
  resume.prompt = "go on";
  resume.resume = numbered<base::SessionId>(1);
  const std::size_t blocks = w.store.read({1}, 1 << 20, false)->size();
  REQUIRE(w.loop.ask(DrivenLoop::message(2, 3, as_command(resume))));
  CHECK(w.store.read({1}, 1 << 20, false)->size() == blocks + 1);
  CHECK(w.loop.events.back().envelope.type == "LineageSpent");
  bool is_told = false;
  for (const auto& e : w.loop.events) {
    const auto* resumed = e.event.as<domain::SessionResumed>();
    is_told = is_told || (resumed != nullptr && e.envelope.stream == stream_of(1) &&
                          resumed->by == numbered<base::SessionId>(2));
  }
  CHECK(is_told);
  CHECK(
      w.loop.worker
          .find<domain::SessionStream>(domain::session_stream("main", numbered<base::SessionId>(2)))
          ->spec.resume_agent_session == "agent-session");
}

TEST_CASE("a worker's report counts once, and only under its own lease", "[workers]") {
  CommandWorld w;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  REQUIRE(w.loop.ask(from_server(DrivenLoop::message(1, 2, kGrant))));
  auto m = DrivenLoop::message(1, 3, support::report(1, domain::ReportAgentStarted{5, 6}));
  m.actor_kind = domain::ActorKind::worker;
  REQUIRE(w.loop.ask(m));
  const auto& last = w.loop.events.back().envelope;
  CHECK(last.token.value == 1);
  CHECK(last.report_sequence == 1);
  const Position tail = w.loop.sequencer.tail();
  REQUIRE(w.loop.ask(m));
  CHECK(w.loop.sequencer.tail() == tail);
  m.command = support::report(2, domain::ReportAgentStarted{5, 6}, 7);
  CHECK(w.loop.ask(m).error().code == RejectionCode::stale_token);
}

TEST_CASE("a full inbox and a bad agent name are answered at once", "[workers]") {
  CommandLoopOptions options;
  options.inbox_max = 2;
  CommandWorld w(options);
  w.loop.loader.held.insert("$admission");
  w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  w.loop.submit(DrivenLoop::message(2, 2, DrivenLoop::spawn()));
  const Ticket third = w.loop.submit(DrivenLoop::message(3, 3, DrivenLoop::spawn()));
  w.loop.decide();
  REQUIRE(w.loop.answers.contains(third));
  CHECK(w.loop.answers.at(third).error().code == RejectionCode::busy);
  w.loop.loader.held.clear();
  w.loop.settle();
  CHECK(w.loop.answers.size() == 3);
  auto bad = DrivenLoop::message(1, 4, kKill);
  bad.agent = "Not/An/Agent";
  CHECK(w.loop.ask(bad).error().code == RejectionCode::invalid);
}

TEST_CASE("a kill passes the prompts of its session, and no command that it is about",
          "[workers]") {
  CommandWorld w;
  w.loop.loader.held.insert(stream_of(1));
  // The session is not known yet: the kill concerns the spawn that waits.
  const Ticket spawn = w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  const Ticket kill = w.loop.submit(DrivenLoop::message(1, 2, kKill));
  w.loop.loader.held.clear();
  w.loop.settle();
  REQUIRE(w.loop.answers.at(spawn));
  CHECK(of_session(w.loop.answers.at(kill)).status == SessionStatus::killed);

  REQUIRE(w.loop.ask(DrivenLoop::message(2, 3, DrivenLoop::spawn())));
  const Ticket waits = w.loop.submit(DrivenLoop::message(2, 4, prompt("more")));
  // An interrupt concerns the prompt whose turn it names.
  const Ticket interrupt = w.loop.submit(DrivenLoop::message(
      2, 5, as_command(domain::InterruptTurn{base::TurnId{numbered<base::CommandId>(4).bytes}})));
  w.loop.settle();
  CHECK(w.loop.answers.at(waits));
  CHECK(w.loop.answers.at(interrupt));

  std::vector<Ticket> prompts;
  for (int i = 10; i < 20; ++i) {
    prompts.push_back(w.loop.submit(DrivenLoop::message(2, i, prompt("and more"))));
  }
  const Ticket last = w.loop.submit(DrivenLoop::message(2, 20, kKill));
  w.loop.settle();
  CHECK(of_session(w.loop.answers.at(last)).status == SessionStatus::killed);
  CHECK(w.loop.answers.at(prompts.back()).error().code == RejectionCode::session_ended);
}

TEST_CASE("a kill is decided beside a flood, and behind one command of each other class",
          "[workers][C06]") {
  CommandWorld w(many_sessions());
  for (int i = 1; i <= 3; ++i) {
    REQUIRE(w.loop.ask(DrivenLoop::message(i, i, DrivenLoop::spawn())));
  }
  REQUIRE(w.loop.ask(from_server(DrivenLoop::message(1, 4, kGrant))));
  for (int i = 1; i <= 3000; ++i) {
    auto report = DrivenLoop::message(
        1, 100 + i, support::report(i, domain::ReportOutput{{}, domain::OutputKind::text, "x"}));
    report.actor_kind = domain::ActorKind::worker;
    w.loop.submit(report);
    w.loop.submit(DrivenLoop::message(2, 10'000 + i, prompt("flood")));
  }
  const Ticket kill = w.loop.submit(DrivenLoop::message(3, 50, kKill));
  const Ticket own = w.loop.submit(DrivenLoop::message(1, 51, kKill));
  w.loop.settle();
  const auto place = [&](Ticket ticket) {
    return std::find(w.loop.order.begin(), w.loop.order.end(), ticket) - w.loop.order.begin();
  };
  CHECK(place(kill) < 20);
  CHECK(place(own) < 20);
  CHECK(of_session(w.loop.answers.at(own)).status == SessionStatus::killed);
}

TEST_CASE("a session that floods the inbox leaves room for the others", "[workers][C06]") {
  CommandLoopOptions options = many_sessions();
  options.inbox_max = 80;
  options.inbox_bytes_max = 8000;
  CommandWorld w(options);
  w.loop.loader.held.insert("$admission");
  const auto busy = [&](int session, int id, std::size_t bytes) {
    auto m = DrivenLoop::message(session, id, DrivenLoop::spawn());
    m.bytes = bytes;
    const Ticket ticket = w.loop.submit(m);
    for (const auto& answer : w.loop.worker.take_answers()) {
      CHECK(answer.ticket == ticket);
      CHECK(answer.outcome.error().code == RejectionCode::busy);
      return true;
    }
    return false;
  };
  for (int i = 1; i <= 10; ++i) CHECK_FALSE(busy(1, i, 10));
  CHECK(busy(1, 11, 10));
  CHECK_FALSE(busy(2, 12, 500));
  CHECK_FALSE(busy(2, 13, 500));
  CHECK(busy(2, 14, 1));
  CHECK_FALSE(busy(3, 15, 5000));  // one is always accepted
  CHECK(busy(3, 16, 1));
  CHECK(busy(4, 17, 2000));  // over the bound for all
  CHECK_FALSE(busy(4, 18, 1000));
}

TEST_CASE("a connection that floods the inbox with sessions leaves room for the others",
          "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.inbox_max = 80;
  options.inbox_bytes_max = 8000;
  CommandWorld w(options);
  w.loop.loader.held.insert("$admission");
  int id = 0;
  const auto busy = [&](const std::string& asker, std::size_t bytes) {
    ++id;
    auto m = DrivenLoop::message(id, id, DrivenLoop::spawn());
    m.asker = asker;
    m.bytes = bytes;
    w.loop.submit(m);
    const auto answers = w.loop.worker.take_answers();
    for (const auto& answer : answers) CHECK(answer.outcome.error().code == RejectionCode::busy);
    return !answers.empty();
  };
  for (int i = 0; i < 10; ++i) CHECK_FALSE(busy("flood", 10));
  CHECK(busy("flood", 10));
  CHECK_FALSE(busy("large", 900));
  CHECK(busy("large", 200));
  for (int i = 0; i < 69; ++i) CHECK_FALSE(busy(std::to_string(i), 10));
  CHECK(busy("large", 10));
  CHECK(busy("", 10));
  CHECK_FALSE(busy("good", 10));  // an asker without a command in the inbox gets in
  CHECK(busy("good", 10));
  CHECK(busy("large and new", CommandLoop::kSmallBytes + 1));
  CHECK(w.loop.worker.check_room("good", 10));
  CHECK_FALSE(w.loop.worker.check_room("another", 10));
}

TEST_CASE("whether there is room for a large command is known before it is decoded", "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.inbox_bytes_max = 8000;
  CommandWorld w(options);
  w.loop.loader.held.insert("$admission");
  CHECK_FALSE(w.loop.worker.check_room("", 100'000));  // one is always accepted
  auto m = DrivenLoop::message(1, 1, DrivenLoop::spawn());
  m.bytes = 5000;
  w.loop.submit(m);
  CHECK_FALSE(w.loop.worker.check_room("", 3000));
  const auto full = w.loop.worker.check_room("", 3001);
  REQUIRE(full);
  CHECK(full->code == RejectionCode::busy);
}

TEST_CASE("a full block holds commands back, it does not refuse them", "[workers]") {
  CommandWorld w(many_sessions());
  std::vector<Ticket> tickets;
  for (int i = 1; i <= 800; ++i) {
    tickets.push_back(w.loop.submit(DrivenLoop::message(i, i, DrivenLoop::spawn())));
  }
  w.loop.decide();
  w.loop.decide();
  CHECK(w.loop.worker.waiting() > 0);
  w.loop.settle();
  for (const Ticket ticket : tickets) REQUIRE(w.loop.answers.at(ticket));
  support::require_log_is_whole(w.store);
}

TEST_CASE("one cycle makes so many decisions, also where all of them are refusals", "[workers]") {
  CommandWorld w;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 2, kKill)));
  constexpr int kPrompts = 1000;
  for (int i = 0; i < kPrompts; ++i) w.loop.submit(DrivenLoop::message(1, 10 + i, prompt("late")));
  CHECK(w.loop.worker.do_work({1'000}, {1'000}, base::Duration{1'000}));
  CHECK(w.loop.worker.waiting() == kPrompts - CommandLoop::kDecisionsPerCycle);
  w.loop.settle();
  CHECK(w.loop.worker.waiting() == 0);
}

TEST_CASE("what the server records of itself is taken however full the inbox is", "[workers]") {
  CommandLoopOptions options;
  options.inbox_max = 1;
  CommandWorld w(options);
  w.loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  const auto full = w.loop.submit(DrivenLoop::message(2, 2, DrivenLoop::spawn()));
  std::vector<CommandOutcome> recorded;
  for (std::int64_t term = 1; term <= 3; ++term) {
    recorded.push_back(w.loop.record(domain::StartServer{{}, term, "test", 0}));
  }
  for (const CommandOutcome& outcome : recorded) CHECK(outcome);
  CHECK(w.loop.answers.at(full).error().code == RejectionCode::busy);
  CHECK(w.loop.worker.of<domain::ServerStream>().writer_term == 3);
}

TEST_CASE("sessions beyond the limit of memory are evicted and come back", "[workers][C16]") {
  CommandLoopOptions options = many_sessions();
  options.streams_max = 10;
  CommandWorld w(options);
  std::vector<std::string> aliases;
  for (int i = 1; i <= 60; ++i) {
    const auto outcome = w.loop.ask(DrivenLoop::message(i, i, DrivenLoop::spawn()));
    REQUIRE(outcome);
    aliases.push_back(of_session(outcome).alias);
  }
  w.loop.settle();
  CHECK(w.loop.worker.loaded_streams() <= 10);
  CHECK(w.loop.worker.find<domain::SessionStream>(
            domain::session_stream("main", numbered<base::SessionId>(1))) == nullptr);
  CHECK(w.loop.worker.find<domain::AdmissionStream>(domain::kAdmissionStream) != nullptr);
  for (int i = 1; i <= 60; ++i) {
    INFO("session " << i);
    const auto repeated = w.loop.ask(DrivenLoop::message(i, i, DrivenLoop::spawn()));
    REQUIRE(repeated);
    CHECK(repeated->is_repeated);
    CHECK(of_session(repeated).alias == aliases[static_cast<std::size_t>(i) - 1]);
    REQUIRE(w.loop.ask(DrivenLoop::message(i, 1000 + i, prompt("more"))));
    CHECK(w.loop.worker
              .find<domain::SessionStream>(
                  domain::session_stream("main", numbered<base::SessionId>(i)))
              ->queue.size() == 2);
  }
  CHECK(w.loop.worker.loaded_streams() <= 10);
  CHECK(w.loop.loader.requests.at(stream_of(1)) > 1);
  CHECK_FALSE(w.loop.loader.requests.contains("$admission"));
  support::require_log_is_whole(w.store);
}

TEST_CASE("a session that was used again while its snapshot was written stays", "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.streams_max = 0;
  CommandWorld w(options);
  for (int round = 0; round < 50; ++round) {
    const auto command = round == 0 ? DrivenLoop::spawn() : prompt("again");
    w.loop.submit(DrivenLoop::message(1, 1 + round, command));
    w.loop.decide();
    if (round % 3 == 0) w.loop.commit();
    if (round % 7 == 0) w.loop.settle();
  }
  w.loop.settle();
  CHECK(w.loop.answers.size() == 50);
  for (const auto& [ticket, outcome] : w.loop.answers) REQUIRE(outcome);
  support::require_log_is_whole(w.store);
}

TEST_CASE("a session is saved and forgotten only when it is durable", "[workers][R042]") {
  CommandLoopOptions options = many_sessions();
  options.streams_max = 0;
  LastingStores disk;
  {
    DrivenLoop loop(disk.store, *disk.rows, options);
    loop.submit(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
    for (int i = 0; i < 5; ++i) loop.decide();
    CHECK(loop.worker.find<domain::SessionStream>(
              domain::session_stream("main", numbered<base::SessionId>(1))) != nullptr);
  }
  // The server died, and its block never reached the disk.
  REQUIRE(disk.store.tail() == Position{0});
  DrivenLoop loop(disk.store, *disk.rows, options);
  CHECK(loop.ask(DrivenLoop::message(1, 2, prompt("more"))).error().code ==
        RejectionCode::not_found);
  const auto again = loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn()));
  REQUIRE(again);
  CHECK_FALSE(again->is_repeated);
}

TEST_CASE("a session that changed while its snapshot was written is saved again", "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.streams_max = 0;
  CommandWorld w(options);
  eventlog::SnapshotStore snapshots(*w.rows);
  const auto saved = [&] { return (*snapshots.load(stream_of(1)))->version; };
  w.loop.loader.is_saving_held = true;
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  CHECK(saved() == base::StreamVersion{3});
  REQUIRE(w.loop.ask(DrivenLoop::message(1, 2, prompt("more"))));
  w.loop.loader.is_saving_held = false;
  for (int i = 0; i < 10; ++i) {
    w.loop.decide();
    const bool is_forgotten = w.loop.worker.find<domain::SessionStream>(domain::session_stream(
                                  "main", numbered<base::SessionId>(1))) == nullptr;
    CHECK((!is_forgotten || saved() == base::StreamVersion{4}));
  }
  CHECK(w.loop.worker.find<domain::SessionStream>(
            domain::session_stream("main", numbered<base::SessionId>(1))) == nullptr);
}

TEST_CASE("a session that nobody has asked for in long is forgotten, and loaded for the next",
          "[workers][R042][C16]") {
  CommandLoopOptions options = many_sessions();
  options.idle_max = std::chrono::seconds(1);
  CommandWorld w(options);
  w.loop.settle();
  for (int i = 1; i <= 40; ++i) {
    REQUIRE(w.loop.ask(DrivenLoop::message(i, i, DrivenLoop::spawn())));
  }
  // With the agent's registry and budget, and the budget of all agents.
  CHECK(w.loop.worker.loaded_streams() == 43);
  w.loop.set_time(w.loop.time() + 900'000);
  REQUIRE(w.loop.ask(DrivenLoop::message(7, 107, prompt("more"))));
  w.loop.set_time(w.loop.time() + 200'000);
  for (int i = 0; i < 5; ++i) w.loop.settle();  // saves come in small portions
  // The session, and the budgets that its prompt has read.
  CHECK(w.loop.worker.loaded_streams() == 3);
  CHECK(w.loop.worker.find<domain::SessionStream>(
            domain::session_stream("main", numbered<base::SessionId>(7))) != nullptr);
  CHECK(w.loop.worker.find<domain::SessionStream>(
            domain::session_stream("main", numbered<base::SessionId>(8))) == nullptr);
  REQUIRE(w.loop.ask(DrivenLoop::message(8, 108, prompt("more"))));
  CHECK(
      w.loop.worker
          .find<domain::SessionStream>(domain::session_stream("main", numbered<base::SessionId>(8)))
          ->queue.size() == 2);
  CHECK(w.loop.ask(DrivenLoop::message(9, 9, DrivenLoop::spawn()))->is_repeated);
}

TEST_CASE("an agent's names leave memory with its sessions, and are loaded for the next",
          "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.idle_max = std::chrono::seconds(1);
  CommandWorld w(options);
  const auto spawn_named = [&](int number, int id, const std::string& agent) {
    domain::Spawn named;
    named.spec = support::sample_spec(true);
    named.prompt = "work on it";
    named.name = "nightly-" + agent;
    auto message = DrivenLoop::message(number, id, support::as_command(named));
    message.agent = agent;
    return w.loop.ask(std::move(message));
  };
  for (int i = 1; i <= 20; ++i) REQUIRE(spawn_named(i, i, "job-" + std::to_string(i)));
  auto refused = DrivenLoop::message(90, 90, prompt("to nobody"));
  refused.agent = "job-of-no-session";
  CHECK_FALSE(w.loop.ask(std::move(refused)));
  // Each agent's session, registry and budget, what the refused prompt has read, the budget of all
  // agents, and what each spawn has read to learn that no earlier agent has its id.
  CHECK(w.loop.worker.loaded_streams() == 63 + 20 * 19 / 2);
  w.loop.set_time(w.loop.time() + 1'100'000);
  for (int i = 0; i < 10; ++i) w.loop.settle();  // saves come in small portions
  CHECK(w.loop.worker.loaded_streams() == 0);
  CHECK(w.loop.worker.find<domain::AdmissionStream>(domain::kAdmissionStream) != nullptr);
  CHECK(w.loop.worker.find<domain::ServerStream>(domain::kServerStream) != nullptr);
  for (int i = 1; i <= 20; ++i) {
    const std::string agent = "job-" + std::to_string(i);
    const auto second = spawn_named(30 + i, 30 + i, agent);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == RejectionCode::already_exists);
    CHECK(w.loop.loader.requests.at(domain::registry_stream(agent)) == 2);
  }
  support::require_log_is_whole(w.store);
}

TEST_CASE("a session whose snapshot cannot be written stays in memory", "[workers]") {
  CommandLoopOptions options = many_sessions();
  options.streams_max = 4;
  CommandWorld w(options);
  w.loop.loader.is_saving_broken = true;
  for (int i = 1; i <= 10; ++i) {
    REQUIRE(w.loop.ask(DrivenLoop::message(i, i, DrivenLoop::spawn())));
  }
  CHECK(w.loop.worker.loaded_streams() == 10);  // the empty registry is evicted
  for (int i = 1; i <= 10; ++i) CHECK(w.loop.loader.requests.at(stream_of(i)) == 1);
  w.loop.loader.is_saving_broken = false;
  w.loop.settle();
  CHECK(w.loop.worker.loaded_streams() <= 4);
}

// The outcome of random commands, with commits and evictions at moments that the seed chooses.
struct Story {
  std::vector<domain::RecordedEvent> events;
  std::map<std::uint64_t, CommandOutcome> answers;  // by ticket number
};

Story play(std::uint64_t commands_seed, std::uint64_t timing_seed, std::size_t streams_max) {
  CommandLoopOptions options;
  options.limits.max_sessions = 40;
  options.streams_max = streams_max;
  CommandWorld w(options);
  base::SeededRandom random(commands_seed);
  base::SeededRandom timing(timing_seed);
  for (int i = 0; i < 600; ++i) {
    const int number = static_cast<int>(1 + random.below(6));
    domain::Command command = DrivenLoop::spawn(random.chance(70));
    bool is_clients = true;
    switch (random.below(12)) {
      case 0:
        command = kKill;
        break;
      case 1:
        command = as_command(domain::CloseSession{});
        break;
      case 2:
      case 5:
      case 6:
      case 7:
        command = prompt("text " + std::to_string(i));
        break;
      case 3:
        command = kGrant;
        is_clients = false;
        break;
      case 4:
        command = support::report(static_cast<std::int64_t>(1 + random.below(3)),
                                  domain::ReportInitialized{"a", "m", "1"});
        is_clients = false;
        break;
      default:
        break;
    }
    const int id = random.chance(10) ? static_cast<int>(random.below(600)) : 1000 + i;
    auto m = DrivenLoop::message(number + 6 * (i / 100), id, std::move(command));
    if (!is_clients) m.actor_kind = domain::ActorKind::server;
    w.loop.submit(std::move(m));
    // Commands are decided one by one, so that the order of loads changes nothing.
    w.loop.decide();
    while (w.loop.worker.waiting() > 0) {
      w.loop.commit();
      w.loop.decide();
    }
    if (timing.chance(20)) w.loop.commit();
    if (timing.chance(5)) w.loop.settle();
  }
  w.loop.settle();
  support::require_log_is_whole(w.store);
  Story story{w.loop.events, {}};
  for (const auto& [ticket, answer] : w.loop.answers) story.answers.emplace(ticket.number, answer);
  return story;
}

TEST_CASE("how appends are grouped into blocks, and what is evicted, changes no stream",
          "[workers]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    const Story one = play(seed, 100 + seed, 1000);
    const Story two = play(seed, 200 + seed, 6);
    REQUIRE(one.events.size() == two.events.size());
    REQUIRE(one.events.size() > 300);
    for (std::size_t i = 0; i < one.events.size(); ++i) {
      const auto& a = one.events[i];
      const auto& b = two.events[i];
      REQUIRE(a.envelope.stream == b.envelope.stream);
      REQUIRE(a.envelope.version == b.envelope.version);
      REQUIRE(a.envelope.command == b.envelope.command);
      REQUIRE(a.event.type() == b.event.type());
    }
    REQUIRE(one.answers.size() == 600);
    REQUIRE(two.answers.size() == 600);
    for (const auto& [ticket, a] : one.answers) {
      const auto& b = two.answers.at(ticket);
      REQUIRE(a.has_value() == b.has_value());
      if (a) {
        REQUIRE(a->position == b->position);
        REQUIRE(of_session(a).status == of_session(b).status);
        REQUIRE(a->is_repeated == b->is_repeated);
      } else {
        REQUIRE(a.error().code == b.error().code);
      }
    }
  }
}

}  // namespace
}  // namespace workers
