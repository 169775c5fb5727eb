// Metrics: every session and turn counts once, on its day in UTC, and sums equal those over the
// sessions' states.
#include "projections/views/metrics.hpp"

#include "projections/fold/projector.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/history.hpp"

namespace {

using base::NanoUsd;
using base::Position;
using base::SessionId;
using base::Time;
using domain::SessionStatus;
using projections::MetricsReport;
using projections::utc_date;
using support::LogBuilder;

MetricsReport metrics_of(LogBuilder& log, std::string_view agent = {}) {
  log.seal();
  projections::Metrics projection;
  const auto rows = eventlog::make_memory_key_value_store();
  auto projector = projections::Projector::open(projection, *rows);
  REQUIRE(projector->catch_up(log.store(), log.head(), support::kAllEvents));
  const auto report = projections::read_metrics(*rows, agent);
  REQUIRE(report);
  return *report;
}

std::string open(LogBuilder& log, std::string agent, std::string name) {
  domain::SessionOpened opened;
  opened.session = SessionId::make(log.now(), log.random());
  opened.agent = std::move(agent);
  opened.name = std::move(name);
  std::string stream = domain::session_stream(opened.agent, opened.session);
  log.add(stream, opened);
  return stream;
}

void spend(LogBuilder& log, const std::string& stream, std::int64_t cost) {
  domain::TurnCost turn;
  turn.cost.value = cost;
  turn.usage.input_tokens = 3;
  log.add(stream, domain::TurnFinished{{}, turn});
}

TEST_CASE("tokens count also where a turn cost nothing, and cost where no tokens are told",
          "[projections]") {
  LogBuilder log;
  const auto stream = open(log, "main", "a");
  domain::TurnCost free;
  free.usage = {1, 20, 300, 4000};
  log.add(stream, domain::TurnFinished{{}, free});
  log.add(stream, domain::TurnFailed{{}, {}, {}, 0, free});
  log.add(stream, domain::TurnInterrupted{{}, domain::EndReason::user, free});
  domain::TurnCost untold;
  untold.cost.value = 7;
  log.add(stream, domain::TurnFinished{{}, untold});
  for (const char* agent : {"", "main"}) {
    const MetricsReport report = metrics_of(log, agent);
    CHECK(report.totals.usage == domain::Usage{3, 60, 900, 12000});
    CHECK(report.totals.cost == NanoUsd{7});
  }
}

TEST_CASE("days are those of UTC", "[projections][R046]") {
  CHECK(utc_date(Time{0}) == "1970-01-01");
  CHECK(utc_date(Time{86399999999}) == "1970-01-01");
  CHECK(utc_date(Time{86400000000}) == "1970-01-02");
  CHECK(utc_date(Time{-1}) == "1969-12-31");
  CHECK(utc_date(Time{951782400000000}) == "2000-02-29");
  CHECK(utc_date(support::kNoon) == "2026-11-20");
  CHECK(utc_date(Time{base::kIntegerLimit - 1}) == "2255-06-05");
}

TEST_CASE("a log without sessions has metrics of nothing", "[projections]") {
  LogBuilder log;
  CHECK(metrics_of(log) == MetricsReport{});
}

TEST_CASE("sessions are counted by how they ended, and how long they took",
          "[projections][R028][R047][R048][R049]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  const auto b = open(log, "main", "b");
  open(log, "main", "c");
  const auto d = open(log, "ops", "d");
  log.advance(std::chrono::seconds{10});
  log.add(a, domain::SessionClosed{SessionStatus::completed, {}});
  log.add(b, domain::SessionClosed{SessionStatus::killed, domain::EndReason::user});
  log.add(d, domain::SessionClosed{SessionStatus::failed, {}});
  const MetricsReport all = metrics_of(log);
  CHECK(all.totals.launched == 4);
  CHECK(all.totals.completed == 1);
  CHECK(all.totals.killed == 1);
  CHECK(all.totals.failed == 1);
  CHECK(all.live == 1);
  CHECK(all.totals.sessions_with_duration == 3);
  // Each event comes 1 ms after the one before it; the sessions have 4, 4 and 3 later events.
  CHECK(all.totals.duration_ms == 10004 + 10004 + 10003);
  CHECK(metrics_of(log, "main").totals.launched == 3);
  CHECK(metrics_of(log, "main").totals.failed == 0);
  CHECK(metrics_of(log, "mai") == MetricsReport{});
}

TEST_CASE("a session is recorded exactly once, however often it is closed",
          "[projections][R039][R044][D02]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  log.add(a, domain::SessionClosed{SessionStatus::killed, domain::EndReason::user});
  log.add(a, domain::SessionClosed{SessionStatus::killed, domain::EndReason::user});
  log.add(a, domain::SessionClosed{SessionStatus::completed, {}});
  const MetricsReport report = metrics_of(log);
  CHECK(report.totals.killed == 1);
  CHECK(report.totals.completed == 0);
  CHECK(report.totals.sessions_with_duration == 1);
  CHECK(report.live == 0);
}

TEST_CASE("money is counted when a turn reports it, also of sessions that go on",
          "[projections][R045][R046]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  spend(log, a, 100);
  log.advance(std::chrono::hours{24});
  spend(log, a, 20);
  const auto b = open(log, "ops", "b");
  log.add(b, domain::TurnInterrupted{{}, {}, {{1, 0, 0, 0}, NanoUsd{3}, {}, 0, {}}});
  log.add(b, domain::TurnFailed{{}, {}, {}, 0, {{1, 0, 0, 0}, NanoUsd{4}, {}, 0, {}}});
  const MetricsReport all = metrics_of(log);
  CHECK(all.totals.cost == NanoUsd{127});
  CHECK(all.totals.usage.input_tokens == 8);
  CHECK(all.cost_per_day ==
        std::map<std::string, NanoUsd>{{"2026-11-20", NanoUsd{100}}, {"2026-11-21", NanoUsd{27}}});
  CHECK(metrics_of(log, "ops").cost_per_day ==
        std::map<std::string, NanoUsd>{{"2026-11-21", NanoUsd{7}}});
}

TEST_CASE("what is told while a turn runs counts on its day, and once", "[projections]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  const domain::Spending told = {{"m", {5, 0, 0, 0}, NanoUsd{70}}};
  log.add(a, domain::SpendingRecorded{{}, told, domain::CostBasis::reported});
  log.advance(std::chrono::hours{24});
  domain::TurnCost cost{{7, 0, 0, 0}, NanoUsd{100}, {}, 0, {}};
  cost.booked = told;
  log.add(a, domain::TurnFinished{{}, cost});
  const MetricsReport all = metrics_of(log);
  CHECK(all.totals.cost == NanoUsd{100});
  CHECK(all.totals.usage.input_tokens == 7);
  CHECK(all.totals.most_expensive.cost == NanoUsd{100});
  CHECK(all.cost_per_day ==
        std::map<std::string, NanoUsd>{{"2026-11-20", NanoUsd{70}}, {"2026-11-21", NanoUsd{30}}});
}

TEST_CASE("the most expensive session is the first that reached the highest cost",
          "[projections][R050]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  const Position prompt = log.add(a, domain::TurnQueued{}, "Do it.");
  log.add(a, domain::TurnQueued{}, "And that.");
  const auto b = open(log, "ops", "b");
  spend(log, a, 100);
  spend(log, b, 100);
  MetricsReport all = metrics_of(log);
  CHECK(all.totals.most_expensive.name == "a");
  CHECK(all.totals.most_expensive.prompt == prompt);
  CHECK(all.totals.most_expensive.cost == NanoUsd{100});
  spend(log, b, 1);
  all = metrics_of(log);
  CHECK(all.totals.most_expensive.name == "b");
  CHECK(all.totals.most_expensive.agent == "ops");
  CHECK(all.totals.most_expensive.cost == NanoUsd{101});
  CHECK(metrics_of(log, "main").totals.most_expensive.name == "a");
}

TEST_CASE("the most expensive session has the name that it was given last", "[projections]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  const auto b = open(log, "main", "b");
  spend(log, a, 100);
  log.add(b, domain::SessionRenamed{"d"});
  log.add(a, domain::SessionRenamed{"c"});
  CHECK(metrics_of(log).totals.most_expensive.name == "c");
  spend(log, b, 200);
  CHECK(metrics_of(log).totals.most_expensive.name == "d");
}

TEST_CASE("of two sessions of an agent with equal costs the first one stays the most expensive",
          "[projections]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  const auto b = open(log, "main", "b");
  spend(log, a, 100);
  spend(log, b, 60);
  spend(log, b, 40);
  CHECK(metrics_of(log).totals.most_expensive.name == "a");
}

TEST_CASE("an agent that reports absurd costs does not stop the metrics", "[projections]") {
  LogBuilder log;
  const auto a = open(log, "main", "a");
  for (int i = 0; i < 3; ++i) spend(log, a, base::kIntegerLimit - 1);
  CHECK(metrics_of(log).totals.cost.value == base::kIntegerLimit - 1);
}

TEST_CASE("metrics are what the sessions' states add up to", "[projections]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    support::History history(seed, {});
    const MetricsReport report = metrics_of(history.log());
    std::map<SessionStatus, std::int64_t> by_status;
    NanoUsd cost;
    NanoUsd highest;
    std::int64_t launched = 0;
    for (const auto& [stream, state] : history.states()) {
      // Others ran what was imported.
      if (state.imported->lines > 0) continue;
      ++launched;
      ++by_status[state.status];
      cost.value += state.cost.value;
      highest = std::max(highest, state.cost);
    }
    CHECK(report.totals.launched == launched);
    CHECK(report.totals.completed == by_status[SessionStatus::completed]);
    CHECK(report.totals.failed == by_status[SessionStatus::failed]);
    CHECK(report.totals.killed == by_status[SessionStatus::killed]);
    CHECK(report.live == by_status[SessionStatus::starting] + by_status[SessionStatus::running]);
    CHECK(report.totals.cost == cost);
    CHECK(report.totals.most_expensive.cost == highest);
    NanoUsd of_days;
    for (const auto& [day, spent] : report.cost_per_day) of_days.value += spent.value;
    CHECK(of_days == cost);
  }
}

}  // namespace
