// The list of sessions: rows equal the states, pages read only what they show, and references
// resolve to one session or to a clear error.
#include "projections/views/session_list.hpp"

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "projections/fold/projector.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forwarding_rows.hpp"
#include "tests/support/history.hpp"

namespace {

using base::ErrorCode;
using base::FencingToken;
using base::NanoUsd;
using base::Position;
using base::SessionId;
using base::TurnId;
using domain::EndReason;
using domain::SessionStatus;
using projections::SessionFilter;
using projections::SessionRow;
using support::CountingRows;
using support::LogBuilder;

struct SessionListFixture {
  projections::SessionList projection;
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  LogBuilder log;

  void catch_up() {
    log.seal();
    auto projector = projections::Projector::open(projection, *rows);
    REQUIRE(projector);
    REQUIRE(projector->catch_up(log.store(), log.head(), support::kAllEvents));
  }
  SessionRow get(std::string_view agent, SessionId id) {
    catch_up();
    const auto row = projections::get_session(*rows, agent, id);
    REQUIRE(row);
    REQUIRE(*row);
    return **row;
  }
  std::vector<std::string> list(const SessionFilter& filter) {
    catch_up();
    const auto found = projections::list_sessions(*rows, filter);
    REQUIRE(found);
    std::vector<std::string> names;
    for (const SessionRow& row : found->sessions) names.push_back(row.agent + ":" + row.name);
    return names;
  }
  // Returns the session that the reference means as "name/alias", or the text of the error.
  std::string resolve(std::string_view reference, std::string_view agent = "main") {
    catch_up();
    const auto row = projections::resolve_session(*rows, agent, reference);
    return row ? row->name + "/" + row->alias : row.error().text;
  }
  SessionId open(std::string agent, std::string name, std::string alias, std::string_view id = {}) {
    domain::SessionOpened opened;
    opened.session = id.empty() ? SessionId::make(log.now(), log.random()) : *SessionId::parse(id);
    opened.agent = std::move(agent);
    opened.name = std::move(name);
    opened.alias = std::move(alias);
    opened.spec.edit().engine = "scripted";
    opened.spec.edit().workdir = "/tmp/here";
    opened.spec.edit().model = "opus";
    opened.spec.edit().is_multi_turn = true;
    opened.spec.edit().repeated_calls_max = 12;
    opened.lineage = opened.session;
    log.add(stream(opened.agent, opened.session), opened);
    return opened.session;
  }
  static std::string stream(std::string_view agent, SessionId id) {
    return domain::session_stream(agent, id);
  }
};

constexpr TurnId kTurn{{1}};

std::string numbered(std::string text, int number) {
  return text.append(std::to_string(number));
}

TEST_CASE("the row of a session follows its life", "[projections][R013][R022][R024]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "fix-login", "a1b2c3d4");
  const std::string stream = f.stream("main", id);
  const base::Time opened_at = f.log.now();
  const Position prompt = f.log.add(stream, domain::TurnQueued{kTurn}, "Fix it.");

  SessionRow row = f.get("main", id);
  CHECK(row.session == id);
  CHECK(row.name == "fix-login");
  CHECK(row.alias == "a1b2c3d4");
  CHECK(row.status == SessionStatus::starting);
  CHECK(row.engine == "scripted");
  CHECK(row.workdir == "/tmp/here");
  CHECK(row.model == "opus");
  CHECK(row.created_at == opened_at);
  CHECK(row.updated_at == f.log.now());
  CHECK(row.prompt == prompt);
  CHECK(row.prompt_bytes == 7);
  CHECK(row.turns_waiting == 1);
  CHECK_FALSE(row.is_waiting_for_input);

  const base::WorkerId worker{{9}};
  f.log.add(stream, domain::LeaseGranted{worker, FencingToken{1}, {}});
  f.log.add(stream, domain::TurnStarted{kTurn, FencingToken{1}});
  f.log.add(stream, domain::AgentStarted{4711, 5});
  f.log.add(stream, domain::AgentInitialized{"uuid-1", "opus-9", "2.0"});
  f.log.add(stream, domain::ToolCallStarted{kTurn, "c", "Bash"}, "{}");
  f.log.add(stream, domain::OutputRecorded{kTurn, 1, domain::OutputKind::text}, "Done.");
  row = f.get("main", id);
  CHECK(row.status == SessionStatus::running);
  CHECK(row.worker == worker);
  CHECK(row.pid == 4711);
  CHECK(row.agent_session == "uuid-1");
  CHECK(row.agent_model == "opus-9");
  CHECK(row.turn == kTurn);
  CHECK(row.tool_calls == 1);
  CHECK(row.output_blocks == 1);
  CHECK(row.turns_waiting == 0);
  CHECK_FALSE(row.is_waiting_for_input);

  domain::TurnCost cost{{10, 20, 0, 0}, NanoUsd{5000}, NanoUsd{5000}, 1, {}};
  f.log.add(stream, domain::TurnFinished{kTurn, cost}, "Done.");
  row = f.get("main", id);
  CHECK(row.is_waiting_for_input);
  CHECK(row.turns_finished == 1);
  CHECK(row.cost == NanoUsd{5000});
  CHECK(row.usage.output_tokens == 20);
  CHECK_FALSE(row.turn.is_set());

  f.log.add(stream, domain::SessionClosed{SessionStatus::killed, EndReason::user});
  const base::Time closed_at = f.log.now();
  const Position last = f.log.add(stream, domain::LeaseExpired{FencingToken{1}});
  row = f.get("main", id);
  CHECK(row.status == SessionStatus::killed);
  CHECK(row.end_reason == EndReason::user);
  CHECK(row.closed_at == closed_at);
  CHECK(row.last_position == last);
  CHECK(row.pid == 0);
  CHECK_FALSE(row.is_waiting_for_input);
  CHECK(row.inconsistent == Position{});
}

TEST_CASE("the end of a turn without an id counts as a prompt's", "[projections]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "old", "a1b2c3d4");
  f.log.add(f.stream("main", id), domain::TurnQueued{});
  f.log.add(f.stream("main", id), domain::TurnFinished{});
  CHECK(f.get("main", id).turns_finished == 1);
}

TEST_CASE("a lineage has spent what its sessions tell", "[projections]") {
  SessionListFixture f;
  const SessionId first{{7}};
  const auto spent = [&](SessionId lineage) {
    f.catch_up();
    return projections::get_lineage(*f.rows, "main", lineage).value().spent.value;
  };
  CHECK(spent(first) == 0);
  const std::string stream = domain::lineage_stream("main", first);
  f.log.add(stream, domain::LineageSpent{first, NanoUsd{30}, "a", {}});
  f.log.add(stream, domain::LineageSpent{SessionId{{8}}, NanoUsd{12}, "a", {}});
  CHECK(spent(first) == 42);
  CHECK(spent(SessionId{{8}}) == 0);
}

TEST_CASE("a row says all that is on the record of its session", "[projections][R051][R084]") {
  SessionListFixture f;
  SessionRow expected;
  domain::SessionOpened opened;
  opened.session = SessionId{{1}};
  opened.agent = "main";
  opened.name = "fix";
  opened.alias = "a1b2c3d4";
  opened.spec.edit().engine = "scripted";
  opened.spec.edit().workdir = "/tmp/here";
  opened.spec.edit().model = "opus";
  opened.spec.edit().permission_mode = domain::PermissionMode::plan;
  opened.spec.edit().is_multi_turn = true;
  opened.spec.edit().is_fork = true;
  opened.spec.edit().budget = NanoUsd{7'700};
  opened.spec.edit().idle_timeout = expected.idle_timeout = base::Duration{30};
  opened.spec.edit().run_timeout = expected.run_timeout = base::Duration{60};
  opened.spec.edit().repeated_calls_max = expected.repeated_calls_max = 12;
  opened.resumed_from = SessionId{{2}};
  opened.lineage = SessionId{{3}};
  const std::string stream = f.stream("main", opened.session);
  expected.session = opened.session;
  expected.agent = "main";
  expected.name = "fix";
  expected.alias = "a1b2c3d4";
  expected.status = SessionStatus::starting;
  expected.engine = "scripted";
  expected.workdir = "/tmp/here";
  expected.model = "opus";
  expected.permission_mode = opened.spec->permission_mode;
  expected.is_multi_turn = expected.is_fork = true;
  expected.budget = NanoUsd{7'700};
  expected.resumed_from = opened.resumed_from;
  expected.lineage = opened.lineage;
  const auto add = [&](domain::Event event, std::string content = {}) {
    expected.last_position = f.log.add(stream, std::move(event), std::move(content));
    expected.updated_at = f.log.now();
  };
  // The last event made the session need a person for this.
  const auto needs = [&](domain::Attention attention) {
    const bool is_needed = attention != domain::Attention::none;
    expected.attention = attention;
    expected.attention_since = is_needed ? expected.updated_at : base::Time{};
    expected.attention_at = is_needed ? expected.last_position : Position{};
  };
  const auto waits = [&](bool is_waiting) {
    expected.is_waiting_for_input = is_waiting;
    expected.is_parked = is_waiting && !expected.worker.is_set();
    expected.idle_since = is_waiting ? expected.updated_at : base::Time{};
    needs(is_waiting ? domain::Attention::waiting_for_input : domain::Attention::none);
  };
  const auto check = [&](std::string_view when) {
    INFO(when);
    CHECK(f.get("main", opened.session) == expected);
  };
  add(opened, "Be brief.");
  expected.opened = expected.last_position;
  expected.created_at = expected.updated_at;
  waits(true);
  check("opened");

  const TurnId turns[] = {TurnId{{1}}, TurnId{{2}}, TurnId{{3}}, TurnId{{4}}};
  for (const TurnId& turn : turns) add(domain::TurnQueued{turn}, turn == turns[0] ? "Fix it." : "");
  expected.prompt = expected.opened.next();
  expected.prompt_bytes = 7;
  expected.turns_queued = expected.turns_waiting = 4;
  waits(false);
  check("queued");

  expected.worker = base::WorkerId{{9}};
  expected.token = FencingToken{6};
  add(domain::LeaseGranted{expected.worker, expected.token, {}});
  check("leased");

  add(domain::AgentStarted{4711, 99});
  add(domain::AgentInitialized{"agent-session", "opus-9", "2.0"});
  add(domain::TurnStarted{turns[0], expected.token});
  add(domain::ToolCallStarted{turns[0], "c", "Bash"});
  add(domain::OutputRecorded{turns[0], 1, domain::OutputKind::text});
  add(domain::OutputRecorded{turns[0], 2, domain::OutputKind::text});
  expected.pid = 4711;
  expected.agent_session = "agent-session";
  expected.agent_model = "opus-9";
  expected.status = SessionStatus::running;
  expected.turn = turns[0];
  expected.turns_waiting = 3;
  expected.tool_calls = 1;
  expected.output_blocks = 2;
  check("running");

  const auto cost = [](std::int64_t unit) {
    return domain::TurnCost{
        {unit, 2 * unit, 3 * unit, 4 * unit}, NanoUsd{5 * unit}, NanoUsd{}, 1, {}};
  };
  add(domain::TurnFinished{turns[0], cost(1)});
  add(domain::TurnStarted{turns[1], expected.token});
  add(domain::TurnFailed{turns[1], {}, {}, 0, cost(10)});
  add(domain::TurnInterrupted{turns[2], EndReason::user, {}});
  add(domain::TurnInterrupted{turns[3], EndReason::user, {}});
  expected.turn = {};
  expected.turns_finished = expected.turns_failed = 1;
  expected.turns_interrupted = 2;
  expected.turns_waiting = 0;
  expected.usage = {11, 22, 33, 44};
  expected.cost = NanoUsd{55};
  waits(true);
  check("idle");

  const TurnId own{{5}};
  add(domain::OwnTurnStarted{own, domain::OwnTurnCause::task, "task", turns[0]});
  expected.own_turn = own;
  expected.own_turns = 1;
  waits(false);
  check("at work by itself");
  add(domain::TurnFinished{own, cost(100)});
  expected.own_turn = {};
  waits(true);
  expected.usage = {111, 222, 333, 444};
  expected.cost = NanoUsd{555};
  check("idle again");

  add(domain::SpendingRecorded{
      turns[0], {{"m", {1, 0, 0, 0}, NanoUsd{5}}}, domain::CostBasis::unknown});
  domain::TurnCost disputed = cost(0);
  disputed.claimed = NanoUsd{40};
  add(domain::OwnTurnStarted{own, domain::OwnTurnCause::task, "task", turns[0]});
  add(domain::TurnFinished{own, disputed});
  expected.own_turns = 2;
  expected.usage.input_tokens = 112;
  expected.cost = NanoUsd{560};
  expected.cost_basis = domain::CostBasis::unknown;
  expected.disputed = NanoUsd{40};
  waits(true);
  check("idle once more");

  add(domain::CloseRequested{});
  expected.is_close_requested = true;
  waits(false);
  check("closing");

  add(domain::SessionClosed{SessionStatus::failed, EndReason::budget});
  expected.status = SessionStatus::failed;
  expected.end_reason = EndReason::budget;
  expected.closed_at = expected.updated_at;
  needs(domain::Attention::over_budget);
  check("ended");

  add(domain::LeaseReleased{expected.token});
  expected.worker = {};
  expected.token = {};
  expected.pid = 0;
  check("released");

  const base::StreamVersion prompt{2};
  add(domain::ContentErased{{{prompt, prompt}}, {}});
  expected.is_erasing = true;
  check("erased in part");
  add(domain::ContentErased{{{base::StreamVersion{1}, base::StreamVersion{1}}}, {}});
  expected.is_erased = true;
  needs(domain::Attention::none);
  const std::int64_t through = static_cast<std::int64_t>(f.log.events().size()) - 1;
  check("erased");
  add(domain::ContentErasureCompleted{base::StreamVersion{through}});
  expected.is_erasing = false;
  check("gone");

  add(domain::CloseRequested{});
  expected.inconsistent = expected.last_position;
  check("contradicting itself");
}

TEST_CASE("a session waits for input while it lives, takes turns and has none",
          "[projections][R021]") {
  SessionListFixture f;
  const auto is_waiting = [&](SessionId id) { return f.get("main", id).is_waiting_for_input; };
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  const std::string stream = f.stream("main", id);
  CHECK(is_waiting(id));
  f.log.add(stream, domain::TurnQueued{kTurn});
  CHECK_FALSE(is_waiting(id));
  f.log.add(stream, domain::LeaseGranted{{}, FencingToken{1}, {}});
  f.log.add(stream, domain::TurnStarted{kTurn, FencingToken{1}});
  CHECK_FALSE(is_waiting(id));
  f.log.add(stream, domain::TurnFinished{kTurn, {}});
  CHECK(is_waiting(id));
  f.log.add(stream, domain::SessionClosed{SessionStatus::completed, {}});
  CHECK_FALSE(is_waiting(id));

  domain::SessionOpened single;
  single.session = SessionId{{7}};
  single.agent = "main";
  f.log.add(f.stream("main", single.session), single);
  CHECK_FALSE(is_waiting(single.session));
}

TEST_CASE("a session with tasks in the background has them until it ends, and does not wait",
          "[projections][R021]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  const std::string stream = f.stream("main", id);
  f.log.add(stream, domain::LeaseGranted{{}, FencingToken{1}, {}});
  f.log.add(stream, domain::TasksChanged{2});
  CHECK(f.get("main", id).tasks == 2);
  CHECK_FALSE(f.get("main", id).is_waiting_for_input);
  f.log.add(stream, domain::TasksChanged{});
  CHECK(f.get("main", id).is_waiting_for_input);
  f.log.add(stream, domain::TasksChanged{1});
  f.log.add(stream, domain::SessionClosed{SessionStatus::killed, EndReason::user});
  CHECK(f.get("main", id).tasks == 0);
}

TEST_CASE("why a call of the model is made again stands in the row until the agent goes on",
          "[projections]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  const std::string stream = f.stream("main", id);
  const auto trouble = [&] { return f.get("main", id).trouble; };
  CHECK(trouble().empty());
  f.log.add(stream, domain::ModelCallRetried{kTurn, 3, 10, {}, 429, "rate_limit"});
  CHECK(trouble() == "rate_limit, HTTP 429, attempt 3 of 10");
  f.log.add(stream, domain::SpendingRecorded{kTurn, {}});
  CHECK_FALSE(trouble().empty());
  f.log.add(stream, domain::OutputRecorded{kTurn, 1, domain::OutputKind::text});
  CHECK(trouble().empty());
  f.log.add(stream, domain::ModelCallRetried{kTurn, 1, 0, {}, 529, ""});
  CHECK(trouble() == "HTTP 529, attempt 1");
  f.log.add(stream, domain::ModelCallRetried{kTurn, 1, 1, {}, 529, ""});
  CHECK(trouble() == "HTTP 529, attempt 1 of 1");
  f.log.add(stream, domain::ModelCallRetried{kTurn, 2, 0, {}, 0, ""});
  CHECK(trouble() == "attempt 2");
  f.log.add(stream, domain::LeaseGranted{{}, FencingToken{1}, {}});
  f.log.add(stream, domain::LeaseReleased{FencingToken{1}});
  CHECK(trouble().empty());
}

TEST_CASE("a name that was made from a prompt is found by its text, until that is erased",
          "[projections]") {
  SessionListFixture f;
  std::map<Position, std::string> texts;
  const projections::TextSource source = [&](Position at) -> std::optional<std::string> {
    const auto found = texts.find(at);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  };
  const auto name_it = [&](SessionId id, const std::string& text, std::int64_t mark) {
    texts[f.log.add(f.stream("main", id), domain::SessionNamed{mark}, text)] = text;
  };
  const auto meant = [&](std::string_view name) {
    f.catch_up();
    const auto row = projections::resolve_session(*f.rows, "main", name, source);
    return row ? row->alias : std::string();
  };
  const std::int64_t mark = domain::name_mark("fix-login");
  const SessionId first = f.open("main", {}, "first001");
  name_it(first, "fix-login", mark);
  CHECK(f.get("main", first).made_name == texts.begin()->first);
  CHECK(meant("fix-login") == "first001");
  CHECK(meant("fix-logout").empty());
  // Another name of the same mark is another one.
  const SessionId alike = f.open("main", {}, "alike002");
  name_it(alike, "of-one-mark", mark);
  CHECK(meant("fix-login") == "first001");
  // The newest of one name is meant, made or given.
  const SessionId second = f.open("main", {}, "second03");
  name_it(second, "fix-login", mark);
  CHECK(meant("fix-login") == "second03");
  f.open("main", "fix-login", "given004");
  CHECK(meant("fix-login") == "given004");
  const SessionId last = f.open("main", {}, "last0005");
  name_it(last, "fix-login", mark);
  CHECK(meant("fix-login") == "last0005");
  CHECK(f.resolve("fix-login") == "fix-login/given004");  // nobody reads texts

  const base::StreamVersion name{2};
  for (const SessionId& id : {last, second}) {
    f.log.add(f.stream("main", id), domain::ContentErased{{{name, name}}, {}});
  }
  CHECK(f.get("main", last).made_name == Position{});
  CHECK(meant("fix-login") == "given004");
  CHECK(f.rows->scan("session_list/m/", {}, 10)->size() == 2);
}

TEST_CASE("a session is found by the name that it was given last, and no more by another",
          "[projections]") {
  SessionListFixture f;
  const SessionId first = f.open("main", "fix-login", "first001");
  const SessionId second = f.open("main", "other", "second02");
  const auto rename = [&](SessionId id, std::string name) {
    f.log.add(f.stream("main", id), domain::SessionRenamed{std::move(name)});
  };
  rename(first, "login");
  CHECK(f.get("main", first).name == "login");
  CHECK(f.resolve("login") == "login/first001");
  CHECK(f.resolve("first001") == "login/first001");
  CHECK(f.resolve("fix-login").starts_with("agent main has no session 'fix-login'"));
  // Another session can take a name that is free, and the live one is meant.
  rename(second, "fix-login");
  CHECK(f.resolve("fix-login") == "fix-login/second02");
  f.log.add(f.stream("main", first), domain::SessionClosed{SessionStatus::killed, EndReason::user});
  CHECK(f.resolve("login") == "login/first001");
  const SessionId third = f.open("main", "login", "third003");
  CHECK(f.resolve("login") == "login/third003");
  rename(third, "more");
  CHECK(f.resolve("login").starts_with("agent main has no session 'login'"));
  // A live one is meant before one that was opened later, and whose name was made.
  const SessionId made = f.open("main", {}, "made0004");
  const projections::TextSource texts = [](Position) { return std::string("parser"); };
  f.log.add(f.stream("main", made), domain::SessionNamed{domain::name_mark("parser")}, "parser");
  f.log.add(f.stream("main", made), domain::SessionClosed{SessionStatus::killed, EndReason::user});
  rename(third, "parser");
  f.catch_up();
  CHECK(projections::resolve_session(*f.rows, "main", "parser", texts)->alias == "third003");
  rename(third, "scanner");
  f.catch_up();
  CHECK(projections::resolve_session(*f.rows, "main", "parser", texts)->alias == "made0004");
  // A name that was made is left, too.
  rename(made, "reader");
  f.catch_up();
  CHECK_FALSE(projections::resolve_session(*f.rows, "main", "parser", texts));
  CHECK(f.get("main", made).made_name == Position{});
}

TEST_CASE("what sessions are counted as follows their status", "[projections]") {
  SessionListFixture f;
  const auto total = [&](std::set<SessionStatus> statuses, std::string agent = {}) {
    f.catch_up();
    SessionFilter filter;
    filter.statuses = std::move(statuses);
    filter.agent = std::move(agent);
    const auto page = projections::list_sessions(*f.rows, filter);
    REQUIRE(page);
    CHECK(page->sessions.size() == static_cast<std::size_t>(page->total));
    return page->total;
  };
  CHECK(total({}) == 0);
  const SessionId first = f.open("main", "a", "aaaaaaaa");
  f.open("ops", "b", "bbbbbbbb");
  CHECK(total({SessionStatus::starting}) == 2);
  CHECK(total({SessionStatus::starting}, "main") == 1);
  f.log.add(f.stream("main", first), domain::AgentInitialized{});
  CHECK(total({SessionStatus::starting}) == 1);
  CHECK(total({SessionStatus::running}) == 1);
  f.log.add(f.stream("main", first), domain::SessionClosed{SessionStatus::killed, {}});
  CHECK(total({SessionStatus::running}) == 0);
  CHECK(total({SessionStatus::killed}, "main") == 1);
  CHECK(total({SessionStatus::killed}, "ops") == 0);
  CHECK(total({}) == 2);
}

TEST_CASE("an unknown session has no row, nor has one of another agent", "[projections]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  f.catch_up();
  CHECK_FALSE(projections::get_session(*f.rows, "main", SessionId{{1}})->has_value());
  CHECK_FALSE(projections::get_session(*f.rows, "ops", id)->has_value());
}

TEST_CASE("an impossible event marks the row and changes nothing else of its state",
          "[projections]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  const Position at =
      f.log.add(f.stream("main", id), domain::TurnFinished{kTurn, {{}, NanoUsd{7}, {}, 0, {}}});
  const SessionRow row = f.get("main", id);
  CHECK(row.inconsistent == at);
  CHECK(row.cost == NanoUsd{0});
  CHECK(row.status == SessionStatus::starting);
}

TEST_CASE("a session that never was opened is not listed", "[projections]") {
  SessionListFixture f;
  f.log.add(f.stream("main", SessionId{{5}}), domain::CloseRequested{});
  CHECK(f.list({}).empty());
  CHECK_FALSE(projections::get_session(*f.rows, "main", SessionId{{5}})->has_value());
}

TEST_CASE("sums of what agents report stop at the wire's limit", "[projections]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  const std::string stream = f.stream("main", id);
  f.log.add(stream, domain::LeaseGranted{{}, FencingToken{1}, {}});
  for (int i = 0; i < 3; ++i) {
    f.log.add(stream, domain::TurnQueued{kTurn});
    f.log.add(stream, domain::TurnStarted{kTurn, FencingToken{1}});
    domain::TurnCost cost;
    cost.cost.value = cost.usage.input_tokens = base::kIntegerLimit - 1;
    f.log.add(stream, domain::TurnFinished{kTurn, cost});
  }
  const SessionRow row = f.get("main", id);
  CHECK(row.cost.value == base::kIntegerLimit - 1);
  CHECK(row.usage.input_tokens == base::kIntegerLimit - 1);
}

TEST_CASE("sessions are listed newest first, by agent, status, activity and limit",
          "[projections][C29]") {
  SessionListFixture f;
  const SessionId a = f.open("main", "a", "aaaaaaaa");
  f.open("ops", "b", "bbbbbbbb");
  f.log.advance(std::chrono::hours{1});
  const base::Time later = f.log.now();
  const SessionId c = f.open("main", "c", "cccccccc");
  f.log.add(f.stream("main", c), domain::SessionClosed{SessionStatus::completed, {}});
  f.open("main", "d", "dddddddd");
  using Names = std::vector<std::string>;
  SessionFilter filter;
  CHECK(f.list(filter) == Names{"main:d", "main:c", "ops:b", "main:a"});
  filter.agent = "main";
  CHECK(f.list(filter) == Names{"main:d", "main:c", "main:a"});
  filter.statuses = {SessionStatus::starting, SessionStatus::running};
  CHECK(f.list(filter) == Names{"main:d", "main:a"});
  filter.limit = 1;
  CHECK(f.list(filter) == Names{"main:d"});
  filter.statuses = {SessionStatus::completed, SessionStatus::starting};
  filter.limit = 2;
  CHECK(f.list(filter) == Names{"main:d", "main:c"});
  filter = {};
  filter.active_since = later;
  CHECK(f.list(filter) == Names{"main:d", "main:c"});
  f.log.add(f.stream("main", a), domain::CloseRequested{});
  CHECK(f.list(filter) == Names{"main:d", "main:c", "main:a"});
  filter = {};
  filter.limit = 0;
  CHECK(f.list(filter).empty());
  filter.limit = 10;
  filter.before = f.get("main", c).opened;
  CHECK(f.list(filter) == Names{"ops:b", "main:a"});
}

TEST_CASE("more sessions than one page of rows are all listed", "[projections]") {
  SessionListFixture f;
  const int count = static_cast<int>(projections::kRowsPage) * 2 + 3;
  for (int i = 0; i < count; ++i) f.open("main", numbered({}, i), numbered("x", i));
  const auto names = f.list({});
  REQUIRE(names.size() == static_cast<std::size_t>(count));
  CHECK(names.front() == numbered("main:", count - 1));
  CHECK(names.back() == "main:0");
}

TEST_CASE("a page of the list reads as many rows as it shows, whatever is asked for",
          "[projections]") {
  SessionListFixture f;
  std::vector<std::string> of_rare;  // newest first
  for (int i = 0; i < 3000; ++i) {
    const bool is_rare = i % 1000 == 500;
    const std::string agent = is_rare ? "rare" : "main";
    const SessionId id = f.open(agent, numbered("n", i), numbered("x", i));
    if (is_rare) of_rare.insert(of_rare.begin(), numbered("rare:n", i));
    if (i == 0) continue;
    const auto status = i % 3 == 0 ? SessionStatus::failed : SessionStatus::completed;
    f.log.add(f.stream(agent, id), domain::SessionClosed{status, {}});
  }
  f.catch_up();
  CountingRows counted(*f.rows);
  const auto page = [&](const SessionFilter& filter, std::size_t count, std::int64_t total) {
    counted.rows_read = 0;
    const auto found = projections::list_sessions(counted, filter);
    REQUIRE(found);
    CHECK(found->sessions.size() == count);
    CHECK(found->total == total);
    // For each session its row and its place, and as many places of each other status at most.
    CHECK(counted.rows_read <= 2 * count + 4 * std::min(filter.limit + 1, count + 51) + 2);
    return *found;
  };
  SessionFilter filter;
  filter.limit = 50;
  page(filter, 50, 3000);
  filter.agent = "rare";
  CHECK_FALSE(page(filter, 3, 3).has_more);
  CHECK(f.list(filter) == of_rare);
  filter.agent = "nobody";
  page(filter, 0, 0);
  filter.agent = "main";
  filter.statuses = {SessionStatus::starting, SessionStatus::failed};
  page(filter, 50, 999);
  filter.statuses = {SessionStatus::starting, SessionStatus::running};
  CHECK(page(filter, 1, 1).sessions[0].name == "n0");
  filter.statuses = {SessionStatus::failed};
  filter.before = {100};
  page(filter, 16, 998);

  // Pages lead to the very first session, also when few sessions match the filter.
  filter = {};
  filter.limit = 700;
  filter.active_since = f.log.now();
  std::size_t seen = 0;
  int pages = 0;
  for (bool has_more = true; has_more; ++pages) {
    const auto found = projections::list_sessions(*f.rows, filter);
    seen += found->sessions.size();
    has_more = found->has_more;
    filter.before = found->before;
  }
  CHECK((seen <= 1 && pages == 3));
  filter = {};
  filter.limit = 700;
  seen = 0;
  for (bool has_more = true; has_more;) {
    const auto found = projections::list_sessions(*f.rows, filter);
    seen += found->sessions.size();
    has_more = found->has_more;
    filter.before = found->before;
  }
  CHECK(seen == 3000);
}

TEST_CASE("a prefix of an id is looked for among those that begin so", "[projections]") {
  SessionListFixture f;
  for (int i = 0; i < 2000; ++i) f.open("main", numbered("n", i), numbered("x", i));
  f.open("main", "last", "lastlast", "ffff8a5d-ac96-774b-bcce-b302099a8057");
  f.open("main", "first", "firstone", "ffff0a5d-ac96-774b-bcce-b302099a8057");
  f.catch_up();
  CountingRows counted(*f.rows);
  for (const std::string_view text : {"ffff8", "ffff8a", "ffff8a5", "ffff8a5d-a", "FFFF8A5DA"}) {
    counted.rows_read = 0;
    CHECK(projections::resolve_session(counted, "main", text)->name == "last");
    CHECK(counted.rows_read < 20);
  }
  CHECK(f.resolve("ffff0") == "first/firstone");
}

TEST_CASE("a session is found by id, alias, name, prefix and the agent's id, in this order",
          "[projections][R035][R036][R037][R052][C29]") {
  SessionListFixture f;
  const std::string id_text = "01890a5d-ac96-774b-bcce-b302099a8057";
  const SessionId id = f.open("main", "fix", "abcd1234", id_text);
  f.log.add(f.stream("main", id), domain::AgentInitialized{"e5f6-agent", {}, {}});
  f.open("main", "abcd1234", "zzzzzzzz", "11890a5d-ac96-774b-bcce-b302099a8057");
  f.open("ops", "fix", "opsalias", "02890a5d-ac96-774b-bcce-b302099a8057");

  CHECK(f.resolve(id_text) == "fix/abcd1234");
  CHECK(f.resolve("01890A5DAC96774BBCCEB302099A8057") == "fix/abcd1234");
  CHECK(f.resolve("abcd1234") == "fix/abcd1234");  // an alias beats another session's name
  CHECK(f.resolve("fix") == "fix/abcd1234");
  CHECK(f.resolve("fix", "ops") == "fix/opsalias");
  CHECK(f.resolve("abcd") == "fix/abcd1234");
  CHECK(f.resolve("0189") == "fix/abcd1234");
  CHECK(f.resolve("01890a5d-ac9") == "fix/abcd1234");
  CHECK(f.resolve("01890a5dac9") == "fix/abcd1234");
  CHECK(f.resolve("01890A5") == "fix/abcd1234");
  CHECK(f.resolve("e5f6-agent") == "fix/abcd1234");

  for (const char* unknown : {"abc", "018", "01890a5e", "01890a5d-ac8", "0-1-8-9", "0289",
                              "opsalias", "e5f6", "", "*", "/"}) {
    INFO(unknown);
    CHECK_THAT(f.resolve(unknown), Catch::StartsWith("agent main has no session"));
  }
  for (const char* no_prefix : {"0189g", "0189/", "0189:", "0189`", "0189@"}) {
    CHECK_THAT(f.resolve(no_prefix), Catch::StartsWith("agent main has no session"));
  }
  CHECK_THAT(f.resolve("fix", "nobody"), Catch::StartsWith("agent nobody has no session"));
}

TEST_CASE("a prefix that fits several sessions is refused with their names", "[projections]") {
  SessionListFixture f;
  f.open("main", "one", "abcd0001", "01890a5d-ac96-774b-bcce-b302099a8057");
  f.open("main", "two", "abcd0002", "01890a5d-ac96-774b-bcce-b302099a8058");
  f.open("main", "three", "0189zzzz", "91890a5d-ac96-774b-bcce-b302099a8058");
  f.catch_up();
  const auto by_alias = projections::resolve_session(*f.rows, "main", "abcd");
  REQUIRE_FALSE(by_alias);
  CHECK(by_alias.error().code == ErrorCode::invalid);
  CHECK_THAT(by_alias.error().text,
             Catch::Contains("abcd0001 (one") && Catch::Contains("abcd0002 (two"));
  // Two match by id, one by alias.
  CHECK_THAT(f.resolve("0189"),
             Catch::Contains("one") && Catch::Contains("two") && Catch::Contains("three"));
  CHECK(f.resolve("abcd0002") == "two/abcd0002");
  CHECK(f.resolve("01890a5d-ac96-774b-bcce-b302099a8058") == "two/abcd0002");
}

TEST_CASE("a prefix that fits very many sessions names a few", "[projections]") {
  SessionListFixture f;
  for (int i = 0; i < 1000; ++i) f.open("main", "s", numbered("many", 1000 + i));
  const std::string text = f.resolve("many");
  CHECK_THAT(text, Catch::Contains("many1000") && Catch::Contains(", and more"));
  CHECK(text.size() < 1000);
}

TEST_CASE("as many as 8 candidates of a prefix are named, and more are said to be there",
          "[projections]") {
  for (const int count : {2, 8, 9, 10}) {
    INFO(count);
    SessionListFixture by_alias;
    SessionListFixture by_id;
    for (int i = 0; i < count; ++i) {
      by_alias.open("main", "s", numbered("many", 1000 + i));
      by_id.open("main", "s", numbered("x", 1000 + i),
                 numbered("01890a5d-ac96-774b-bcce-b302099a8", 100 + i));
    }
    const auto candidates = [](const std::string& text, const std::string& each) {
      int found = 0;
      for (std::size_t at = text.find(each); at != std::string::npos;
           at = text.find(each, at + 1)) {
        ++found;
      }
      return found;
    };
    for (const std::string& text : {by_alias.resolve("many"), by_id.resolve("0189")}) {
      CHECK((text.find(", and more") != std::string::npos) == (count > 8));
      CHECK(candidates(text, " (s, ") == std::min(count, 8));
    }
  }
}

TEST_CASE("a prefix of several sessions is refused with all that tells them apart",
          "[projections]") {
  SessionListFixture f;
  f.open("main", "one", "abcd0001", "01890a5d-ac96-774b-bcce-b302099a8057");
  f.open("main", {}, "abcd0002", "11890a5d-ac96-774b-bcce-b302099a8057");
  f.open("main", "three", "abcd0003", "21890a5d-ac96-774b-bcce-b302099a8057");
  CHECK(f.resolve("abcd") ==
        "'abcd' begins several sessions: "
        "abcd0001 (one, 01890a5d-ac96-774b-bcce-b302099a8057), "
        "abcd0002 (11890a5d-ac96-774b-bcce-b302099a8057), "
        "abcd0003 (three, 21890a5d-ac96-774b-bcce-b302099a8057); "
        "give more characters of the one you mean");
}

TEST_CASE("rows lie under the keys that are documented", "[projections]") {
  SessionListFixture f;
  const std::string_view id = "01890a5d-ac96-774b-bcce-b302099a8057";
  const std::string_view made = "11890a5d-ac96-774b-bcce-b302099a8058";
  f.log.add(f.stream("main", f.open("main", "fix", "alias001", id)), domain::TurnQueued{}, "Do.");
  f.open("main", {}, "alias002", made);
  const std::string named = f.stream("main", *SessionId::parse(made));
  f.log.add(named, domain::SessionNamed{0x0102}, "name");
  f.log.add(named, domain::AgentInitialized{"agent-session", {}, {}});
  f.log.add(named, domain::SessionClosed{SessionStatus::killed, EndReason::stopped});
  const base::StreamVersion first{1};
  f.log.add(named, domain::ContentErased{{{first, first}}, {}});
  f.catch_up();
  const auto number = [](std::uint64_t value) {
    base::Bytes bytes;
    base::append_u64(bytes, value);
    return bytes;
  };
  const auto order = [&](const SessionId& session) {
    const auto row = projections::get_session(*f.rows, "main", session);
    return number(static_cast<std::uint64_t>(INT64_MAX - (*row)->opened.value));
  };
  const base::Bytes one(SessionId::parse(id)->view());
  const base::Bytes two(SessionId::parse(made)->view());
  const SessionRow ended = f.get("main", *SessionId::parse(made));
  const auto closed = number(static_cast<std::uint64_t>(ended.closed_at.us));
  const char starting = static_cast<char>(SessionStatus::starting);
  const char killed = static_cast<char>(SessionStatus::killed);
  std::set<base::Bytes> expected{"a/main/alias001",
                                 "a/main/alias002",
                                 "c/",
                                 "c/main",
                                 "e/main/" + two,
                                 "k/killed/" + closed + "/main/" + two,
                                 "m/main/" + number(0x0102) + order(ended.session),
                                 "n/main/fix",
                                 "r/main/" + two + number(5),
                                 "s/main/" + one,
                                 "s/main/" + two,
                                 "u/main/agent-session"};
  for (const std::string agent : {"", "main"}) {
    expected.insert("o/" + agent + "/" + starting + order(*SessionId::parse(id)));
    expected.insert("o/" + agent + "/" + killed + order(ended.session));
    expected.insert("p/" + agent + "/" +
                    number(static_cast<std::uint64_t>(ended.attention_at.value)));
  }
  std::set<base::Bytes> stored;
  const std::string prefix = "session_list/";
  const auto rows = *f.rows->scan(prefix, {}, 100);
  for (const auto& row : rows) {
    stored.insert(row.key.substr(prefix.size()));
  }
  CHECK(stored == expected);
}

TEST_CASE("a name means the live session, else the newest", "[projections][R035][D07]") {
  SessionListFixture f;
  const SessionId first = f.open("main", "fix", "first001");
  CHECK(f.resolve("fix") == "fix/first001");
  f.log.add(f.stream("main", first), domain::SessionClosed{SessionStatus::completed, {}});
  CHECK(f.resolve("fix") == "fix/first001");
  const SessionId second = f.open("main", "fix", "second02");
  CHECK(f.resolve("fix") == "fix/second02");
  f.log.add(f.stream("main", second), domain::SessionClosed{SessionStatus::failed, {}});
  CHECK(f.resolve("fix") == "fix/second02");
  // A late event of the old session does not give the name back to it.
  f.log.add(f.stream("main", first), domain::ReportIgnored{"x"});
  CHECK(f.resolve("fix") == "fix/second02");
  CHECK(f.resolve("first001") == "fix/first001");
}

TEST_CASE("the worked example of the README is what is stored", "[projections]") {
  SessionListFixture f;
  f.open("main", "fix-login", "a1b2c3d4", "01890a5d-ac96-774b-bcce-b302099a8057");
  f.catch_up();
  const auto value = *f.rows->get("session_list/a/main/a1b2c3d4");
  REQUIRE(value);
  CHECK(base::to_hex(*value) == "81a773657373696f6ec41001890a5dac96774bbcceb302099a8057");
}

TEST_CASE("an imported session of the same name does not take it from the live one",
          "[projections]") {
  SessionListFixture f;
  const SessionId live = f.open("main", "fix", "live0001");
  const SessionId imported = f.open("main", "fix", "import02");
  f.log.add(f.stream("main", imported), domain::SessionClosed{SessionStatus::completed, {}});
  CHECK(f.resolve("fix") == "fix/live0001");
  f.log.add(f.stream("main", live), domain::SessionClosed{SessionStatus::completed, {}});
  CHECK(f.resolve("fix") == "fix/import02");
}

TEST_CASE("a row does not grow with the commands of its session", "[projections][C08]") {
  SessionListFixture f;
  const SessionId id = f.open("main", "a", "aaaaaaaa");
  for (int i = 0; i < 1000; ++i) {
    const TurnId turn = TurnId::make(f.log.now(), f.log.random());
    f.log.add(f.stream("main", id), domain::TurnQueued{turn});
    f.log.add(f.stream("main", id), domain::TurnInterrupted{turn, EndReason::user, {}});
  }
  CHECK(f.get("main", id).turns_interrupted == 1000);
  const auto stored = *f.rows->scan("session_list/s/", {}, 10);
  REQUIRE(stored.size() == 1);
  CHECK(stored.front().value.size() < 1000);
}

TEST_CASE("every row equals the state that commands are decided on", "[projections][C27]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    support::History history(seed, {});
    projections::SessionList projection;
    const auto rows = eventlog::make_memory_key_value_store();
    auto projector = projections::Projector::open(projection, *rows);
    REQUIRE(projector->catch_up(history.log().store(), history.log().head(), support::kAllEvents));
    std::size_t live = 0;
    for (const auto& [stream, state] : history.states()) {
      REQUIRE(state.inconsistent == Position{});
      const auto row = projections::get_session(*rows, state.agent, state.session);
      REQUIRE(row);
      REQUIRE(*row);
      CHECK((*row)->status == state.status);
      CHECK((*row)->end_reason == state.end_reason);
      CHECK((*row)->name == state.name);
      CHECK((*row)->cost == state.cost);
      CHECK((*row)->usage == state.usage);
      CHECK((*row)->output_blocks == state.blocks);
      CHECK((*row)->agent_session == state.agent_session);
      CHECK((*row)->turns_waiting == static_cast<std::int64_t>(state.queue.size()));
      CHECK((*row)->turn.is_set() == state.turn.has_value());
      CHECK((*row)->turns_queued == (*row)->turns_finished + (*row)->turns_failed +
                                        (*row)->turns_interrupted + (*row)->turns_waiting +
                                        (state.turn ? 1 : 0));
      CHECK((*row)->inconsistent == Position{});
      CHECK(projections::resolve_session(*rows, state.agent, state.alias)->session ==
            state.session);
      if (domain::is_live(state.status)) {
        ++live;
        const std::string& name = domain::label(state);
        CHECK(projections::resolve_session(*rows, state.agent, name)->session == state.session);
      }
    }
    CHECK(projections::list_sessions(*rows, {})->sessions.size() == history.states().size());
    SessionFilter filter;
    filter.statuses = {SessionStatus::starting, SessionStatus::running};
    const auto listed = projections::list_sessions(*rows, filter);
    CHECK(listed->sessions.size() == live);
    CHECK(listed->total == static_cast<std::int64_t>(live));
  }
}

// ---- the sessions that need a person ----

std::vector<std::string> needing(SessionListFixture& f,
                                 const projections::AttentionFilter& filter) {
  f.catch_up();
  const auto page = projections::list_attention(*f.rows, filter);
  REQUIRE(page);
  std::vector<std::string> names;
  for (const SessionRow& row : page->sessions) {
    names.push_back(row.name + " " + std::string(base::enum_name(row.attention)));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("sessions that need a person are listed, the longest waiting first", "[projections]") {
  SessionListFixture f;
  const auto close = [&](SessionId id, std::string agent, EndReason reason) {
    f.log.add(domain::session_stream(agent, id),
              domain::SessionClosed{SessionStatus::failed, reason});
  };
  const SessionId early = f.open("main", "early", "aaaaaaa1");
  const SessionId late = f.open("main", "late", "aaaaaaa2");
  const SessionId other = f.open("ci", "other", "aaaaaaa3");
  CHECK(needing(f, {}) ==
        Names{"early waiting_for_input", "late waiting_for_input", "other waiting_for_input"});
  close(late, "main", EndReason::budget);
  close(other, "ci", EndReason::turn_error);
  close(early, "main", EndReason::turn_error);
  CHECK(needing(f, {"main", projections::kSessionsMax, {}}) ==
        Names{"late over_budget", "early failed"});
  CHECK(needing(f, {}) == Names{"late over_budget", "other failed", "early failed"});
  const SessionRow row = f.get("main", late);
  CHECK(row.attention_at == row.last_position);
  CHECK(row.attention_since == row.updated_at);

  projections::AttentionFilter page;
  page.limit = 2;
  const auto first = projections::list_attention(*f.rows, page);
  REQUIRE(first);
  CHECK(first->has_more);
  page.after = first->after;
  CHECK(needing(f, page) == Names{"early failed"});

  f.log.add(domain::session_stream("main", late), domain::AttentionDismissed{});
  CHECK(needing(f, {}) == Names{"other failed", "early failed"});
  CHECK(f.get("main", late).attention == domain::Attention::none);
  f.log.add(domain::session_stream("main", early), domain::SessionResumed{late, false, true, true});
  CHECK(needing(f, {"main", projections::kSessionsMax, {}}).empty());

  const SessionId forked = f.open("main", "forked", "aaaaaaa4");
  f.log.add(f.stream("main", forked), domain::SessionResumed{late, true, true, false});
  close(forked, "main", EndReason::turn_error);
  CHECK(needing(f, {"main", projections::kSessionsMax, {}}) == Names{"forked failed"});
}

TEST_CASE("sessions of a release before are not listed as needing a person", "[projections]") {
  SessionListFixture f;
  domain::SessionOpened opened;
  opened.session = opened.lineage = SessionId{{1}};
  opened.agent = "main";
  opened.alias = "aaaaaaa1";
  const std::string stream = f.stream("main", opened.session);
  f.log.add(stream, opened);
  f.log.add(stream, domain::SessionClosed{SessionStatus::failed, EndReason::turn_error});
  f.log.add(stream, domain::SessionResumed{SessionId{{2}}, false, true, true});
  CHECK(needing(f, {}).empty());
  CHECK(f.get("main", opened.session).attention == domain::Attention::none);
}

}  // namespace
