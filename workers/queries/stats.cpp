// The totals of metrics; a name made from a prompt is read from the log.
#include "workers/queries/stats.hpp"

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

void name_most_expensive(const QuerySources& sources, projections::MostExpensive& most) {
  if (!most.session.is_set() || !most.name.empty()) return;
  auto row = projections::get_session(sources.views, most.agent, most.session);
  if (!row || !*row) return;
  complete_row(sources, **row);
  most.name = std::move((*row)->name);
}

base::Result<projections::MetricsReport> stats(const QuerySources& sources, const QueryBody& body,
                                               const Query&) {
  auto report = projections::read_metrics(sources.views, body.agent);
  if (report) name_most_expensive(sources, report->totals.most_expensive);
  return report;
}

}  // namespace

const QueryKind kStatsQuery{kVerbStats, QueryReads::rows, projections::Metrics::kName,
                            run_query<stats>};

}  // namespace workers
