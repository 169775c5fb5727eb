// One row an agent, changed with each event that counts; a query for all agents adds the rows up.
#include "projections/views/metrics.hpp"

#include "eventlog/domain/all_events.hpp"
#include "projections/views/metering.hpp"

#include <algorithm>

namespace projections {
namespace {

using domain::add;
using domain::add_bounded;

// s/<agent>/<id>: what must be known of a session until it ends, and its cost.
struct MeteredSession {
  std::string name;
  Time opened_at;
  Position prompt;
  NanoUsd cost;
  domain::CostBasis basis = domain::CostBasis::totals;
  bool is_opened = false;
  bool is_closed = false;

  bool operator==(const MeteredSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &MeteredSession::name);
    visit("opened_at", &MeteredSession::opened_at);
    visit("prompt", &MeteredSession::prompt);
    visit("cost", &MeteredSession::cost);
    visit("basis", &MeteredSession::basis);
    visit("opened", &MeteredSession::is_opened);
    visit("closed", &MeteredSession::is_closed);
  }
};

// d/<agent>/<date>
struct DayRow {
  NanoUsd cost;
  domain::CostBasis basis = domain::CostBasis::totals;

  bool operator==(const DayRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("cost", &DayRow::cost);
    visit("basis", &DayRow::basis);
  }
};

constexpr std::string_view kTotalsPrefix = "t/";
constexpr std::string_view kDayPrefix = "d/";

Bytes totals_key(std::string_view agent) {
  return Bytes(kTotalsPrefix).append(agent);
}

Bytes day_prefix(std::string_view agent) {
  return Bytes(kDayPrefix).append(agent).append("/");
}

// One event that is being folded.
struct Metering {
  const domain::Envelope& envelope;
  const domain::StreamRef& ref;
  Rows& rows;

  void apply(const domain::SessionOpened& e) {
    change_session([&](MeteredSession& s) {
      if (s.is_opened) return false;
      s.is_opened = true;
      s.name = e.name;
      s.opened_at = envelope.log_time;
      change_totals([](MetricsTotals& t) { add_bounded(t.launched, 1); });
      return true;
    });
  }

  void apply(const domain::SessionRenamed& e) {
    change_session([&](MeteredSession& s) {
      s.name = e.name;
      return true;
    });
    rows.edit<MetricsTotals>(totals_key(ref.agent), [&](MetricsTotals& t) {
      if (t.most_expensive.session != ref.id) return false;
      t.most_expensive.name = e.name;
      return true;
    });
  }

  // Steno has not run it.
  void apply(const domain::TranscriptImported&) {
    change_session([&](MeteredSession& s) {
      if (!s.is_opened || s.is_closed) return false;
      s.is_opened = false;
      change_totals([](MetricsTotals& t) { add_bounded(t.launched, -1); });
      return true;
    });
  }

  void apply(const domain::TurnQueued&) {
    change_session([&](MeteredSession& s) {
      if (s.prompt.value != 0) return false;
      s.prompt = envelope.position;
      return true;
    });
  }

  // A session is counted once, at its end, however often it is ended.
  void apply(const domain::SessionClosed& e) {
    change_session([&](MeteredSession& s) {
      if (!s.is_opened || s.is_closed || !domain::is_terminal(e.status)) return false;
      s.is_closed = true;
      change_totals(
          [&](MetricsTotals& t) { count_end(t, e.status, envelope.log_time - s.opened_at); });
      return true;
    });
  }

  template <class Other>
  void apply(const Other& e) {
    const Metered metered = meter(e);
    if (metered.denied > 0) {
      change_totals([&](MetricsTotals& t) { add_bounded(t.denied, metered.denied); });
    }
    if (!metered.is_free()) add_cost(metered);
  }

 private:
  template <class Change>
  void change_session(Change&& change) {
    rows.edit<MeteredSession>(session_key(ref.agent, ref.id), change);
  }

  template <class Change>
  void change_totals(Change&& change) {
    rows.edit<MetricsTotals>(totals_key(ref.agent), [&](MetricsTotals& totals) {
      change(totals);
      return true;
    });
  }

  void add_cost(const Metered& metered) {
    change_session([&](MeteredSession& s) {
      add_bounded(s.cost.value, metered.cost.value);
      s.basis = std::max(s.basis, metered.basis);
      change_totals([&](MetricsTotals& t) {
        add_bounded(t.cost.value, metered.cost.value);
        t.basis = std::max(t.basis, metered.basis);
        add(t.usage, metered.usage);
        const bool is_dearest = t.most_expensive.session == ref.id;
        if (s.cost > t.most_expensive.cost || is_dearest) {
          t.most_expensive = {ref.id, ref.agent, s.name, s.cost, s.basis, s.prompt};
        }
      });
      return true;
    });
    if (metered.cost.value == 0 && !domain::is_lower_bound(metered.basis)) return;
    rows.edit<DayRow>(day_prefix(ref.agent) + utc_date(envelope.wall_time), [&](DayRow& day) {
      add_bounded(day.cost.value, metered.cost.value);
      day.basis = std::max(day.basis, metered.basis);
      return true;
    });
  }
};

void add_totals(MetricsTotals& sum, const MetricsTotals& t) {
  add_bounded(sum.launched, t.launched);
  add_bounded(sum.completed, t.completed);
  add_bounded(sum.failed, t.failed);
  add_bounded(sum.killed, t.killed);
  add_bounded(sum.cost.value, t.cost.value);
  sum.basis = std::max(sum.basis, t.basis);
  add(sum.usage, t.usage);
  add_bounded(sum.denied, t.denied);
  add_bounded(sum.duration_ms, t.duration_ms);
  add_bounded(sum.sessions_with_duration, t.sessions_with_duration);
  if (t.most_expensive.cost > sum.most_expensive.cost) sum.most_expensive = t.most_expensive;
}

}  // namespace

void Metrics::apply(const domain::RecordedEvent& event,
                    const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  const auto* ref = session_of(stream);
  if (!ref) return;
  domain::visit([&](const auto& e) { Metering{event.envelope, *ref, rows}.apply(e); }, event.event);
}

Result<MetricsReport> read_metrics(eventlog::KeyValueStore& store, std::string_view agent) {
  const RowReader rows(store, Metrics::kName);
  const bool is_one_agent = !agent.empty();
  MetricsReport report;
  std::optional<base::Error> failed;
  const auto take = [&](auto decoded, auto&& use) {
    if (!decoded) {
      failed = decoded.error();
      return false;
    }
    use(*decoded);
    return true;
  };
  auto walked = for_each_row(rows, kTotalsPrefix, {}, [&](const Bytes& key, const Bytes& value) {
    if (is_one_agent && key != totals_key(agent)) return true;
    return take(detail::decode_row<MetricsTotals>(key, value),
                [&](const MetricsTotals& t) { add_totals(report.totals, t); });
  });
  if (!walked) return tl::unexpected(walked.error());
  walked =
      for_each_row(rows, is_one_agent ? day_prefix(agent) : Bytes(kDayPrefix), {},
                   [&](const Bytes& key, const Bytes& value) {
                     return take(detail::decode_row<DayRow>(key, value), [&](const DayRow& day) {
                       const Bytes date = key.substr(key.rfind('/') + 1);
                       add_bounded(report.cost_per_day[date].value, day.cost.value);
                       domain::CostBasis& basis = report.basis_per_day[date];
                       basis = std::max(basis, day.basis);
                     });
                   });
  if (!walked) return tl::unexpected(walked.error());
  if (failed) return tl::unexpected(*failed);
  report.live = report.totals.live();
  return report;
}

std::string utc_date(Time time) {
  const std::chrono::sys_time<base::Duration> moment{base::Duration{time.us}};
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(moment)};
  const auto padded = [](std::int64_t value, std::size_t width) {
    std::string digits = std::to_string(value);
    return std::string(width - std::min(width, digits.size()), '0') + digits;
  };
  return padded(int{date.year()}, 4) + '-' + padded(unsigned{date.month()}, 2) + '-' +
         padded(unsigned{date.day()}, 2);
}

}  // namespace projections
