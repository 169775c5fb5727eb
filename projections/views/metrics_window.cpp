// Sessions are kept in memory, each with what the events say of it.
#include "projections/views/metrics_window.hpp"

#include <algorithm>

#include "eventlog/domain/all_events.hpp"
#include "projections/views/metering.hpp"

namespace projections {

using domain::add_bounded;

// One event that is being counted.
struct MetricsWindow::Metering {
  const domain::Envelope& envelope;
  SessionId id;
  Session& session;
  MetricsReport& report;

  void apply(const domain::SessionOpened& e) {
    if (session.is_opened) return;
    session.is_opened = true;
    session.name = e.name;
    session.opened_at = envelope.log_time;
    add_bounded(report.totals.launched, 1);
  }

  void apply(const domain::SessionRenamed& e) {
    session.name = e.name;
    MostExpensive& dearest = report.totals.most_expensive;
    if (dearest.session == id) dearest.name = e.name;
  }

  // Steno has not run it.
  void apply(const domain::TranscriptImported&) {
    if (session.is_imported || session.is_closed) return;
    session.is_imported = true;
    if (session.is_opened) add_bounded(report.totals.launched, -1);
  }

  void apply(const domain::TurnQueued&) {
    if (session.prompt.value == 0) session.prompt = envelope.position;
  }

  void apply(const domain::SessionClosed& e) {
    if (session.is_closed || !domain::is_terminal(e.status)) return;
    session.is_closed = true;
    session.status = e.status;
    session.closed_at = envelope.log_time;
    if (!session.is_opened || session.is_imported) return;
    count_end(report.totals, e.status, envelope.log_time - session.opened_at);
  }

  template <class Other>
  void apply(const Other& e) {
    const Metered metered = meter(e);
    add_bounded(report.totals.denied, metered.denied);
    if (!metered.is_free()) add_cost(metered);
  }

  void add_cost(const Metered& metered) {
    const auto& [usage, cost, basis, denied] = metered;
    add_bounded(session.cost.value, cost.value);
    session.basis = std::max(session.basis, basis);
    MetricsTotals& t = report.totals;
    add_bounded(t.cost.value, cost.value);
    t.basis = std::max(t.basis, basis);
    domain::add(t.usage, usage);
    if (session.cost > t.most_expensive.cost || t.most_expensive.session == id) {
      t.most_expensive = {id,           session.agent, session.name,
                          session.cost, session.basis, session.prompt};
    }
    if (cost.value == 0 && !domain::is_lower_bound(basis)) return;
    const std::string day = utc_date(envelope.wall_time);
    add_bounded(report.cost_per_day[day].value, cost.value);
    domain::CostBasis& basis_of_day = report.basis_per_day[day];
    basis_of_day = std::max(basis_of_day, basis);
  }
};

void MetricsWindow::add(const domain::RecordedEvent& event) {
  const auto stream = domain::parse_stream(event.envelope.stream);
  const auto* ref = session_of(stream);
  if (ref == nullptr) return;
  Session& session = sessions_[ref->id];
  session.agent = ref->agent;
  Metering metering{event.envelope, ref->id, session, report_};
  domain::visit([&](const auto& e) { metering.apply(e); }, event.event);
}

std::vector<EarlierSession> MetricsWindow::earlier() const {
  std::vector<EarlierSession> all;
  for (const auto& [id, session] : sessions_) {
    if (session.is_closed && !session.is_opened && !session.is_imported) {
      all.push_back({session.agent, id});
    }
  }
  return all;
}

void MetricsWindow::count_earlier(SessionId id, Time opened_at) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const Session& session = found->second;
  if (!session.is_closed || session.is_opened || session.is_imported) return;
  count_end(report_.totals, session.status, session.closed_at - opened_at);
}

}  // namespace projections
