// The totals of a part of the log: all of it has those of the projection, and parts add up to them.
#include "projections/views/metrics_window.hpp"

#include <algorithm>

#include "projections/fold/projector.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/history.hpp"

namespace {

using domain::RecordedEvent;
using projections::MetricsReport;
using projections::MetricsWindow;

MetricsReport projected(support::LogBuilder& log) {
  log.seal();
  projections::Metrics projection;
  const auto rows = eventlog::make_memory_key_value_store();
  auto projector = projections::Projector::open(projection, *rows);
  REQUIRE(projector->catch_up(log.store(), log.head(), support::kAllEvents));
  const auto report = projections::read_metrics(*rows, {});
  REQUIRE(report);
  return *report;
}

MetricsReport counted(const std::vector<RecordedEvent>& events, std::size_t first, std::size_t end,
                      const std::map<base::SessionId, base::Time>& opened) {
  MetricsWindow window;
  for (std::size_t i = first; i < end; ++i) window.add(events[i]);
  for (const projections::EarlierSession& one : window.earlier()) {
    if (opened.contains(one.session)) window.count_earlier(one.session, opened.at(one.session));
  }
  return window.report();
}

// When each session was opened that was not imported.
std::map<base::SessionId, base::Time> openings(const std::vector<RecordedEvent>& events) {
  std::map<base::SessionId, base::Time> opened;
  for (const RecordedEvent& event : events) {
    if (const auto* e = event.event.as<domain::SessionOpened>()) {
      opened[e->session] = event.envelope.log_time;
    }
    const auto stream = domain::parse_stream(event.envelope.stream);
    if (event.event.is<domain::TranscriptImported>()) opened.erase(stream->id);
  }
  return opened;
}

// True if no time is between the events before and behind the cut: a session is opened and its
// first lines are imported in one append.
bool is_in_append(const std::vector<RecordedEvent>& events, std::size_t cut) {
  for (std::size_t i = cut; i < events.size(); ++i) {
    const auto* imported = events[i].event.as<domain::TranscriptImported>();
    if (imported == nullptr) continue;
    const std::string& stream = events[i].envelope.stream;
    const auto opened = std::find_if(events.begin(), events.end(), [&](const RecordedEvent& event) {
      return event.envelope.stream == stream && event.event.is<domain::SessionOpened>();
    });
    return imported->bytes == 100 && opened < events.begin() + static_cast<std::ptrdiff_t>(cut);
  }
  return false;
}

TEST_CASE("a window over the whole log has the totals of the projection", "[projections]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    support::History history(seed, {});
    MetricsReport whole = projected(history.log());
    const auto& events = history.log().events();
    MetricsReport window = counted(events, 0, events.size(), {});
    // Two sessions can have cost the same.
    CHECK(window.totals.most_expensive.cost == whole.totals.most_expensive.cost);
    window.totals.most_expensive = whole.totals.most_expensive = {};
    whole.live = 0;
    CHECK(window == whole);
  }
}

TEST_CASE("windows that follow each other add up to the whole", "[projections]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    support::History history(seed, {});
    const MetricsReport whole = projected(history.log());
    const auto& events = history.log().events();
    const auto opened = openings(events);
    // Each fifth event is as good as all, and other ones with each seed.
    for (std::size_t cut = 1 + seed % 5; cut < events.size(); cut += 5) {
      if (is_in_append(events, cut)) continue;
      const MetricsReport one = counted(events, 0, cut, opened);
      const MetricsReport other = counted(events, cut, events.size(), opened);
      const auto sum = [&](auto member) { return one.totals.*member + other.totals.*member; };
      using Totals = projections::MetricsTotals;
      for (auto member : {&Totals::launched, &Totals::completed, &Totals::failed, &Totals::killed,
                          &Totals::denied, &Totals::sessions_with_duration}) {
        if (sum(member) != whole.totals.*member) {
          CAPTURE(cut);
          CHECK(sum(member) == whole.totals.*member);
        }
      }
      const bool is_cost_whole =
          one.totals.cost.value + other.totals.cost.value == whole.totals.cost.value;
      if (!is_cost_whole) {
        CAPTURE(cut);
        CHECK(is_cost_whole);
      }
      // Each end is rounded to milliseconds in both.
      if (sum(&Totals::duration_ms) != whole.totals.duration_ms) {
        CAPTURE(cut);
        CHECK(sum(&Totals::duration_ms) == whole.totals.duration_ms);
      }
    }
  }
}

TEST_CASE("the dearest session of a window is the one that spent most in it", "[projections]") {
  support::LogBuilder log;
  std::vector<std::string> streams;
  for (const char* name : {"old", "new"}) {
    domain::SessionOpened opened;
    opened.session = base::SessionId::make(log.now(), log.random());
    opened.agent = "main";
    opened.name = name;
    streams.push_back(domain::session_stream(opened.agent, opened.session));
    log.add(streams.back(), opened);
  }
  const auto spend = [&](const std::string& stream, std::int64_t cost) {
    domain::TurnCost turn;
    turn.cost.value = cost;
    log.add(stream, domain::TurnFinished{{}, turn});
  };
  spend(streams[0], 100);
  spend(streams[1], 7);
  spend(streams[0], 5);
  const auto& events = log.events();
  const MetricsReport window = counted(events, events.size() - 2, events.size(), {});
  CHECK(window.totals.most_expensive.cost.value == 7);
  CHECK(window.totals.cost.value == 12);
  CHECK(window.totals.launched == 0);
  CHECK(counted(events, 0, events.size(), {}).totals.most_expensive.name == "old");
  log.add(streams[0], domain::SessionRenamed{"older"});
  CHECK(counted(events, 0, events.size(), {}).totals.most_expensive.name == "older");
}

}  // namespace
