// Counts what lies between two positions of the log, which are found by their times.
#include "tools/steno/client/stats_window.hpp"

#include <algorithm>
#include <map>

#include "projections/views/metrics_window.hpp"
#include "tools/steno/client/facts_reader.hpp"
#include "tools/steno/client/log_beginning.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/text/progress_line.hpp"
#include "workers/json/event_json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace steno {
namespace {

using base::Position;
using base::Time;
using projections::SessionRow;

// Counts the events behind the position that are earlier than `until`, and notes which these are.
Outcome<bool> count_events(FactsReader& facts, Position after, Time until,
                           projections::MetricsWindow& metrics, StatsWindow& window) {
  ProgressLine progress(stderr, "read");
  while (true) {
    const auto page = facts.read(after);
    if (!page) return tl::unexpected(page.error());
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = workers::see(event);
      // One of a later release counts for nothing that is known here.
      if (!seen && seen.error().code == base::ErrorCode::wrong_log) continue;
      if (!seen) return fail(seen.error());
      if (seen->recorded.envelope.log_time >= until) return true;
      metrics.add(seen->recorded);
      if (window.from.value == 0) window.from = event.position;
      window.through = event.position;
    }
    after = page->complete_through;
    if (after >= page->head) return true;
    progress.show(after, page->head);
  }
}

// Counts the ends of sessions that were opened before the window.
Outcome<bool> count_earlier(Connection& connection, projections::MetricsWindow& metrics) {
  std::map<std::string, std::vector<base::SessionId>> wanted;  // by agent
  for (const projections::EarlierSession& one : metrics.earlier()) {
    wanted[one.agent].push_back(one.session);
  }
  for (const auto& [agent, sessions] : wanted) {
    for (std::size_t first = 0; first < sessions.size(); first += projections::kSessionsMax) {
      const std::size_t end = std::min(first + projections::kSessionsMax, sessions.size());
      workers::QueryBody query;
      query.agent = agent;
      query.sessions.assign(sessions.begin() + static_cast<std::ptrdiff_t>(first),
                            sessions.begin() + static_cast<std::ptrdiff_t>(end));
      query.limit = projections::kSessionsMax;
      const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
      if (!page) return tl::unexpected(page.error());
      for (const SessionRow& row : page->sessions) {
        if (row.imported->lines == 0) metrics.count_earlier(row.session, row.created_at);
      }
    }
  }
  return true;
}

// Counts the sessions that lived at a time: those that live now, and those that have ended since.
Outcome<std::int64_t> count_live(Connection& connection, const std::string& agent, Time at) {
  const auto live = connection.run(workers::list_live(connection.caller(), agent));
  if (!live) return tl::unexpected(live.error());
  const auto was_opened = [&](const SessionRow& row) { return row.created_at < at; };
  std::int64_t count = std::count_if(live->begin(), live->end(), was_opened);
  workers::QueryBody query;
  query.agent = agent;
  query.active_since = at;
  query.limit = projections::kSessionsMax;
  for (bool has_more = true; has_more;) {
    const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!page) return tl::unexpected(page.error());
    count +=
        std::count_if(page->sessions.begin(), page->sessions.end(), [&](const SessionRow& row) {
          return was_opened(row) && row.closed_at >= at && row.imported->lines == 0;
        });
    has_more = page->has_more;
    query.before = page->before;
  }
  return count;
}

// The words of the dearest session are not among the facts, if it was opened before.
void name_most_expensive(Connection& connection, projections::MostExpensive& most) {
  if (!most.session.is_set() || !most.name.empty()) return;
  workers::QueryBody query;
  query.agent = most.agent;
  query.reference = most.session.text();
  const auto shown = connection.ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (shown) most.name = shown->session.name;
}

}  // namespace

Outcome<StatsWindow> read_stats_window(Connection& connection, const WindowWanted& wanted) {
  StatsWindow window;
  const Time now = connection.clock().wall();
  window.until = now;
  for (const auto& [given, time] :
       {std::pair{&wanted.since, &window.since}, std::pair{&wanted.until, &window.until}}) {
    if (given->empty()) continue;
    const auto parsed = since_of(*given, now);
    if (!parsed) return tl::unexpected(parsed.error());
    *time = *parsed;
  }
  if (window.since >= window.until) return fail(kExitUsage, "--since must be before --until");
  const auto archive = archived_beginning(connection);
  if (!archive) return tl::unexpected(archive.error());
  FactsReader facts(connection, wanted.agent.empty() ? std::string(bus::kAllLevel)
                                                     : workers::agent_level(wanted.agent));
  const auto after = facts.find_time(archive->through, window.since);
  if (!after) return tl::unexpected(after.error());
  if (archive->through.value > 0 && *after == archive->through) {
    return fail(kExitNotFound,
                "the window can begin before the log does: " + beginning_text(*archive));
  }
  projections::MetricsWindow metrics;
  const bool is_until_now = wanted.until.empty();
  const Time end = is_until_now ? Time{base::kIntegerLimit - 1} : window.until;
  const auto counted = count_events(facts, *after, end, metrics, window);
  if (!counted) return tl::unexpected(counted.error());
  if (const auto ok = count_earlier(connection, metrics); !ok) return tl::unexpected(ok.error());
  const auto live = count_live(connection, wanted.agent, window.until);
  if (!live) return tl::unexpected(live.error());
  window.report = metrics.report();
  window.report.live = *live;
  name_most_expensive(connection, window.report.totals.most_expensive);
  return window;
}

}  // namespace steno
