// `output` and `stats`: what agents said, and what it cost.
#include <algorithm>
#include <deque>

#include "projections/views/metrics.hpp"
#include "tools/steno/operations/handlers.hpp"
#include "tools/steno/operations/item_text.hpp"
#include "tools/steno/operations/output_pages.hpp"
#include "tools/steno/operations/session_json.hpp"
#include "tools/steno/operations/session_text.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr std::int64_t kLinesMax = 10'000;
constexpr std::size_t kRuleColumns = 60;

struct LastLines {
  workers::OutputAnswer answer;  // of the last page
  std::deque<std::string> lines;
  bool is_cut = false;  // there are earlier ones
};

// Reads at least as many blocks as lines are wanted: each block has one or more lines.
Outcome<LastLines> read_lines(Connection& connection, const std::string& reference,
                              std::int64_t wanted) {
  LastLines last;
  ItemText texts(false, false);
  auto page = first_output_page(connection, reference, wanted);
  while (page) {
    for (const workers::OutputItem& item : page->items) {
      std::string text = texts.of(item);
      if (text.empty()) continue;
      for (const std::string_view line : workers::lines_of(text)) last.lines.emplace_back(line);
    }
    while (static_cast<std::int64_t>(last.lines.size()) > wanted) {
      last.lines.pop_front();
      last.is_cut = true;
    }
    const bool has_more = page->has_more;
    const base::Position through = page->through;
    last.answer = std::move(*page);
    if (!has_more) return last;
    page = next_output_page(connection, reference, through);
  }
  return tl::unexpected(page.error());
}

// Returns what the agent said last.
std::string result_of(const workers::OutputAnswer& answer) {
  const auto said =
      std::find_if(answer.items.rbegin(), answer.items.rend(), [](const workers::OutputItem& i) {
        return i.kind == workers::ItemKind::said && i.parent.empty() && i.erased_at.us == 0;
      });
  return said == answer.items.rend() ? "" : said->text;
}

}  // namespace

Outcome<Answer> show_output(const Caller& caller, const ShownArguments& arguments) {
  const auto last = read_lines(caller.connection, arguments.session,
                               arguments.is_full ? kLinesMax : arguments.lines);
  if (!last) return tl::unexpected(last.error());
  const projections::SessionRow& row = last->answer.session;
  const base::Time now = caller.connection.clock().wall();
  const base::Duration age = (row.closed_at.us != 0 ? row.closed_at : now) - row.created_at;
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["costUsd"] = dollars_json(row.cost);
  answer.value["durationMs"] = age.count() / 1000;
  answer.value["duration"] = duration_text(age);
  answer.value["lines"] = last->lines;
  answer.value["lineCount"] = last->lines.size();
  answer.value["isCut"] = last->is_cut;
  answer.value["result"] = result_of(last->answer);
  answer.text = row.name + " [" + row.alias + "] " + status_text(row) + " (" + duration_text(age) +
                ")\n" + std::string(kRuleColumns, '-');
  for (const std::string& line : last->lines) answer.text += "\n" + line;
  if (last->lines.empty()) answer.text += "\n(no output yet)";
  return answer;
}

Outcome<Answer> report_stats(const Caller& caller, const NoneArguments&) {
  workers::QueryBody query;
  query.agent = caller.connection.config().agent;
  const auto report = caller.connection.ask<projections::MetricsReport>(workers::kVerbStats, query);
  if (!report) return tl::unexpected(report.error());
  const projections::MetricsTotals& totals = report->totals;
  Answer answer;
  answer.value["totalCostUsd"] = dollars_json(totals.cost);
  answer.value["costPerDay"] = Json::object();
  for (const auto& [day, cost] : report->cost_per_day) {
    answer.value["costPerDay"][day] = dollars_json(cost);
  }
  answer.value["sessionsByStatus"] = {{"completed", totals.completed},
                                      {"failed", totals.failed},
                                      {"killed", totals.killed},
                                      {"running", report->live}};
  answer.value["totalLaunched"] = totals.launched;
  const std::int64_t timed = totals.sessions_with_duration;
  answer.value["averageDurationMs"] = timed == 0 ? Json() : Json(totals.duration_ms / timed);
  const projections::MostExpensive& dearest = totals.most_expensive;
  answer.value["mostExpensive"] = !dearest.session.is_set()
                                      ? Json()
                                      : Json{{"id", dearest.session.text()},
                                             {"name", dearest.name},
                                             {"costUsd", dollars_json(dearest.cost)}};
  answer.text = "📊 launched " + std::to_string(totals.launched) + ", running " +
                std::to_string(report->live) + ", completed " + std::to_string(totals.completed) +
                ", failed " + std::to_string(totals.failed) + ", killed " +
                std::to_string(totals.killed);
  answer.text +=
      "\n⏱️ average duration " +
      (timed == 0 ? std::string("n/a")
                  : duration_text(std::chrono::milliseconds(totals.duration_ms / timed)));
  answer.text += "\n💰 " + dollars_text(totals.cost);
  if (dearest.session.is_set()) {
    answer.text += "\n🏆 " + workers::safe_line(dearest.name) + ", " + dollars_text(dearest.cost);
  }
  answer.value["display"] = answer.text;
  return answer;
}

}  // namespace steno
