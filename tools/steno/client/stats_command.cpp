// `stats`: counts and costs, also as Prometheus reads them (text format 0.0.4).
#include <algorithm>
#include <map>

#include "eventlog/domain/session/cost_text.hpp"
#include "projections/views/metrics.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/stats_window.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/schedules.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr std::int64_t kBarColumns = 30;
constexpr std::size_t kPromptColumns = 60;

// Returns a bar for each day, as long as its part of the dearest one's cost.
std::string bar_text(base::NanoUsd cost, base::NanoUsd most) {
  if (most.value <= 0 || cost.value <= 0) return {};
  const double part = static_cast<double>(cost.value) / static_cast<double>(most.value);
  const auto columns = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(part * static_cast<double>(kBarColumns) + 0.5));
  std::string bar = "  ";
  for (std::int64_t i = 0; i < columns; ++i) bar += "█";
  return bar;
}

std::string window_text(const StatsWindow& window) {
  const std::string events = window.from.value == 0
                                 ? ", without events"
                                 : ", positions " + std::to_string(window.from.value) + " to " +
                                       std::to_string(window.through.value);
  return (window.since.us == 0 ? "the beginning" : short_time_text(window.since)) + " to " +
         short_time_text(window.until) + events;
}

// `window`: empty: of ever. `prompt`: of the most expensive session.
std::string table_text(const projections::MetricsReport& report, const std::string& window,
                       const std::string& prompt) {
  const projections::MetricsTotals& totals = report.totals;
  Fields fields;
  fields.add("window", window);
  fields.add("launched", std::to_string(totals.launched));
  fields.add("live", std::to_string(report.live));
  fields.add("completed", std::to_string(totals.completed));
  fields.add("failed", std::to_string(totals.failed));
  fields.add("killed", std::to_string(totals.killed));
  fields.add("denied tool calls", totals.denied == 0 ? "" : std::to_string(totals.denied));
  fields.add("average duration", totals.sessions_with_duration == 0
                                     ? "n/a"
                                     : duration_text(std::chrono::milliseconds(
                                           totals.duration_ms / totals.sessions_with_duration)));
  fields.add("tokens", std::to_string(totals.usage.input_tokens) + " in, " +
                           std::to_string(totals.usage.output_tokens) + " out");
  const bool is_exact = !domain::is_lower_bound(totals.basis);
  fields.add("cost", domain::cost_text(totals.cost, totals.basis) +
                         (is_exact ? "" : ", at least: not all of it is known"));
  if (totals.most_expensive.session.is_set()) {
    fields.add("most expensive",
               totals.most_expensive.name + ", " +
                   domain::cost_text(totals.most_expensive.cost, totals.most_expensive.basis) +
                   (prompt.empty() ? ""
                                   : ": " + workers::cut_to_columns(workers::safe_line(prompt),
                                                                    kPromptColumns)));
  }
  base::NanoUsd most;
  for (const auto& [day, cost] : report.cost_per_day) most = std::max(most, cost);
  for (const auto& [day, cost] : report.cost_per_day) {
    const auto basis = report.basis_per_day.find(day);
    const bool has_basis = basis != report.basis_per_day.end();
    fields.add(day, domain::cost_text(cost, has_basis ? basis->second : domain::CostBasis::totals) +
                        bar_text(cost, most));
  }
  return fields.text();
}

std::string prompt_of(Connection& connection, const projections::MostExpensive& dearest) {
  if (!dearest.session.is_set()) return {};
  // The cost is told also if the words cannot be read.
  return connection.run(workers::first_prompt(connection.caller(), dearest.agent, dearest.session))
      .value_or("");
}

class PrometheusText {
 public:
  // `agent` empty: all agents.
  explicit PrometheusText(const std::string& agent)
      : agent_(agent.empty() ? "" : "agent=\"" + agent + "\"") {}

  void begin(std::string_view name, std::string_view type, std::string_view help) {
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
    text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  // `label` such as status="failed"; empty: none.
  void add(std::string_view name, std::string_view label, const std::string& value) {
    std::string labels = agent_;
    if (!label.empty()) labels.append(labels.empty() ? "" : ",").append(label);
    text_.append(name);
    if (!labels.empty()) text_.append("{").append(labels).append("}");
    text_.append(" ").append(value).append("\n");
  }
  std::string take() { return std::move(text_); }

 private:
  const std::string agent_;  // a label; agents' names need no escapes
  std::string text_;
};

std::string number(std::int64_t value) {
  return std::to_string(value);
}

// A scraper that reads nothing keeps what it read before, or loses its series; this one says why.
std::string up_text(bool is_up) {
  PrometheusText text("");
  text.begin("steno_up", "gauge", "1 if the server has answered, 0 if none did.");
  text.add("steno_up", "", is_up ? "1" : "0");
  return text.take();
}

// What needs a person, counted over all pages.
Outcome<std::map<domain::Attention, std::int64_t>> count_attention(Connection& connection,
                                                                   const std::string& agent) {
  workers::QueryBody query;
  query.agent = agent;
  std::map<domain::Attention, std::int64_t> counts;
  for (bool has_more = true; has_more;) {
    const auto page = connection.ask<workers::AttentionAnswer>(workers::kVerbAttention, query);
    if (!page) return tl::unexpected(page.error());
    for (const projections::SessionRow& row : page->sessions) ++counts[row.attention];
    has_more = page->has_more;
    query.after = page->after;
  }
  return counts;
}

std::string attention_text_of(const std::map<domain::Attention, std::int64_t>& counts,
                              const std::string& agent) {
  PrometheusText text(agent);
  text.begin("steno_sessions_needing_attention", "gauge", "Sessions that need a person, by why.");
  for (const std::string_view name : base::EnumNames<domain::Attention>::kNames) {
    const auto need = base::parse_enum<domain::Attention>(name);
    if (!need || *need == domain::Attention::none) continue;
    const auto found = counts.find(*need);
    text.add("steno_sessions_needing_attention", "need=\"" + std::string(name) + "\"",
             number(found == counts.end() ? 0 : found->second));
  }
  return text.take();
}

// Counts the last session of each schedule, by its status. A completed one with denied calls counts
// as "denied" alone.
using LastRuns = std::map<std::string, std::int64_t>;

Outcome<LastRuns> count_last_runs(Connection& connection, const workers::SchedulesAnswer& answer,
                                  const std::string& agent) {
  std::map<std::string, std::vector<base::SessionId>> wanted;  // by agent
  for (const domain::Schedule& schedule : answer.schedules) {
    if (!agent.empty() && schedule.spec.agent != agent) continue;
    const bool was_taken = !schedule.runs.empty() && schedule.runs.back().session.is_set() &&
                           schedule.runs.back().outcome == domain::RunOutcome::taken;
    if (was_taken) wanted[schedule.spec.agent].push_back(schedule.runs.back().session);
  }
  LastRuns counts;
  for (const auto& [of, sessions] : wanted) {
    for (std::size_t first = 0; first < sessions.size(); first += projections::kSessionsMax) {
      const std::size_t end = std::min(first + projections::kSessionsMax, sessions.size());
      workers::QueryBody query;
      query.agent = of;
      query.sessions.assign(sessions.begin() + static_cast<std::ptrdiff_t>(first),
                            sessions.begin() + static_cast<std::ptrdiff_t>(end));
      const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
      if (!page) return tl::unexpected(page.error());
      for (const projections::SessionRow& row : page->sessions) {
        const bool is_denied = row.status == domain::SessionStatus::completed && row.denied > 0;
        ++counts[is_denied ? "denied" : std::string(base::enum_name(row.status))];
      }
    }
  }
  return counts;
}

std::string last_runs_text(LastRuns counts, const std::string& agent) {
  PrometheusText text(agent);
  text.begin(
      "steno_schedules_last_session", "gauge",
      "Sessions that schedules ran last, by status; denied: completed, with a tool call that "
      "was denied.");
  for (const char* result : {"starting", "running", "completed", "denied", "failed", "killed"}) {
    text.add("steno_schedules_last_session", "status=\"" + std::string(result) + "\"",
             number(counts[result]));
  }
  return text.take();
}

// Counts the schedules whose last outcome was that nothing ran.
std::string schedules_text(const workers::SchedulesAnswer& answer, const std::string& agent) {
  std::map<domain::RunOutcome, std::int64_t> counts;
  for (const domain::Schedule& schedule : answer.schedules) {
    if (!agent.empty() && schedule.spec.agent != agent) continue;
    if (!schedule.runs.empty()) ++counts[schedule.runs.back().outcome];
  }
  PrometheusText text(agent);
  text.begin("steno_schedules", "gauge", "Schedules, by the outcome of their last time.");
  for (const std::string_view name : base::EnumNames<domain::RunOutcome>::kNames) {
    const auto outcome = base::parse_enum<domain::RunOutcome>(name);
    text.add("steno_schedules", "last_outcome=\"" + std::string(name) + "\"",
             number(outcome ? counts[*outcome] : 0));
  }
  text.begin("steno_schedules_stopped", "gauge",
             "Schedules that do not go on, for a reason that the server knows.");
  const auto is_counted = [&](const auto& fault) {
    return agent.empty() ||
           std::any_of(answer.schedules.begin(), answer.schedules.end(),
                       [&](const domain::Schedule& schedule) {
                         return schedule.spec.name == fault.first && schedule.spec.agent == agent;
                       });
  };
  text.add("steno_schedules_stopped", "",
           number(std::count_if(answer.faults.begin(), answer.faults.end(), is_counted)));
  return text.take();
}

std::string prometheus_text(const projections::MetricsReport& report, const std::string& agent) {
  const projections::MetricsTotals& totals = report.totals;
  PrometheusText text(agent);
  text.begin("steno_sessions_started_total", "counter", "Sessions that were opened.");
  text.add("steno_sessions_started_total", "", number(totals.launched));
  text.begin("steno_sessions_live", "gauge", "Sessions that live.");
  text.add("steno_sessions_live", "", number(report.live));
  text.begin("steno_sessions_ended_total", "counter", "Sessions that have ended, by how.");
  text.add("steno_sessions_ended_total", "status=\"completed\"", number(totals.completed));
  text.add("steno_sessions_ended_total", "status=\"failed\"", number(totals.failed));
  text.add("steno_sessions_ended_total", "status=\"killed\"", number(totals.killed));
  text.begin("steno_tool_calls_denied_total", "counter",
             "Tool calls that were denied for lack of a permission.");
  text.add("steno_tool_calls_denied_total", "", number(totals.denied));
  text.begin("steno_session_duration_seconds", "summary",
             "From the opening of a session to its end.");
  text.add(
      "steno_session_duration_seconds_sum", "",
      number(totals.duration_ms / 1000) + "." + number(totals.duration_ms % 1000 + 1000).substr(1));
  text.add("steno_session_duration_seconds_count", "", number(totals.sessions_with_duration));
  text.begin("steno_tokens_total", "counter", "Tokens of all turns, by kind.");
  text.add("steno_tokens_total", "kind=\"input\"", number(totals.usage.input_tokens));
  text.add("steno_tokens_total", "kind=\"output\"", number(totals.usage.output_tokens));
  text.add("steno_tokens_total", "kind=\"cache_read\"", number(totals.usage.cache_read_tokens));
  text.add("steno_tokens_total", "kind=\"cache_creation\"",
           number(totals.usage.cache_creation_tokens));
  text.begin("steno_cost_usd_total", "counter",
             "Cost of all turns in US dollars; a lower bound if steno_cost_is_lower_bound is 1.");
  text.add("steno_cost_usd_total", "", exact_usd_text(totals.cost));
  text.begin("steno_cost_is_lower_bound", "gauge",
             "1 if a part of the cost is not known: agents that died, models without a price.");
  text.add("steno_cost_is_lower_bound", "", domain::is_lower_bound(totals.basis) ? "1" : "0");
  return text.take();
}

}  // namespace

namespace {

// All of it is asked for before any of it is printed, so that a scrape is whole or says why not.
Outcome<std::string> all_figures(Connection& connection, const projections::MetricsReport& report,
                                 const std::string& agent) {
  const auto needs = count_attention(connection, agent);
  if (!needs) return tl::unexpected(needs.error());
  const auto schedules =
      connection.ask<workers::SchedulesAnswer>(workers::kVerbSchedules, workers::QueryBody{});
  if (!schedules) return tl::unexpected(schedules.error());
  const auto last_runs = count_last_runs(connection, *schedules, agent);
  if (!last_runs) return tl::unexpected(last_runs.error());
  return up_text(true) + prometheus_text(report, agent) + attention_text_of(*needs, agent) +
         schedules_text(*schedules, agent) + last_runs_text(*last_runs, agent);
}

Outcome<int> print_window(Connection& connection, const StatsArguments& arguments) {
  const Config& config = connection.config();
  const auto window = read_stats_window(
      connection, {arguments.all_agents ? "" : config.agent, arguments.since, arguments.until});
  if (!window) return tl::unexpected(window.error());
  const projections::MetricsReport& report = window->report;
  if (config.output == OutputFormat::table) {
    print(table_text(report, window_text(*window),
                     prompt_of(connection, report.totals.most_expensive)));
    return kExitOk;
  }
  workers::JsonObject of;
  of.add("since", window->since).add("until", window->until);
  of.add("from", window->from).add("through", window->through);
  of.add_fields(workers::to_json(report));
  print(of.text() + "\n");
  return kExitOk;
}

Outcome<int> ask_stats(const Config& config, const StatsArguments& arguments) {
  const bool has_window = !arguments.since.empty() || !arguments.until.empty();
  if (has_window && config.output == OutputFormat::prometheus) {
    return fail(kExitUsage,
                "-o prometheus prints totals of ever, from which Prometheus makes those of a time; "
                "leave --since and --until out");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (has_window) return print_window(**connection, arguments);
  workers::QueryBody query;
  query.agent = arguments.all_agents ? "" : config.agent;
  const auto report = (*connection)->ask<projections::MetricsReport>(workers::kVerbStats, query);
  if (!report) return tl::unexpected(report.error());
  switch (config.output) {
    case OutputFormat::table:
      print(table_text(*report, "", prompt_of(**connection, report->totals.most_expensive)));
      break;
    case OutputFormat::json:
    case OutputFormat::jsonl:
      print(workers::to_json(*report) + "\n");
      break;
    case OutputFormat::prometheus: {
      const auto figures = all_figures(**connection, *report, query.agent);
      if (!figures) return tl::unexpected(figures.error());
      print(*figures);
      break;
    }
  }
  return kExitOk;
}

}  // namespace

Outcome<int> stats(const Config& config, const StatsArguments& arguments) {
  auto done = ask_stats(config, arguments);
  if (!done && config.output == OutputFormat::prometheus) print(up_text(false));
  return done;
}

}  // namespace steno
