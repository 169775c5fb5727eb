// `ls`: lists sessions.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "eventlog/base/time.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_filter.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/connection/silence.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/hooks.hpp"
#include "workers/text/end_text.hpp"

namespace steno {
namespace {

constexpr std::int64_t kListed = 50;  // sessions, unless somebody says how many

using projections::SessionRow;
using workers::cost_text;
using workers::idle_end_text;
using workers::ran_text;
using workers::status_text;

std::string turns_text(const SessionRow& row) {
  const std::int64_t ended = row.turns_finished + row.turns_failed + row.turns_interrupted;
  return std::to_string(ended) + "/" + std::to_string(row.turns_queued);
}

// Returns how a terminal shows the status: green works, yellow waits for a person, red has failed.
int status_color(const SessionRow& row) {
  constexpr int kRed = 31;
  constexpr int kGreen = 32;
  constexpr int kYellow = 33;
  constexpr int kDim = 2;
  switch (row.attention) {
    case domain::Attention::none:
      break;
    case domain::Attention::waiting_for_input:
    case domain::Attention::asks:
      return kYellow;
    default:
      return kRed;
  }
  if (row.turn.is_set() || row.status == domain::SessionStatus::starting) return kGreen;
  return domain::is_live(row.status) ? 0 : kDim;
}

std::string labels_text(const SessionRow& row) {
  std::string text;
  for (const std::string& label : row.labels) text += (text.empty() ? "" : ",") + label;
  return text;
}

// Returns the sessions with subagents behind their parents, each with its depth below a session
// without a parent here.
std::vector<std::pair<std::size_t, const SessionRow*>> tree_of(
    const std::vector<SessionRow>& rows) {
  std::map<base::SessionId, std::vector<const SessionRow*>> children;
  std::set<base::SessionId> known;
  for (const SessionRow& row : rows) known.insert(row.session);
  std::vector<const SessionRow*> roots;
  for (const SessionRow& row : rows) {
    const base::SessionId parent = row.descriptor.parent;
    (known.contains(parent) ? children[parent] : roots).push_back(&row);
  }
  std::vector<std::pair<std::size_t, const SessionRow*>> ordered;
  const auto add = [&](const auto& again, std::size_t depth, const SessionRow* row) -> void {
    ordered.emplace_back(depth, row);
    for (const SessionRow* child : children[row->session]) again(again, depth + 1, child);
  };
  for (const SessionRow* root : roots) add(add, 0, root);
  return ordered;
}

// Prints rows of the list; only the first ones have titles.
void print_rows(const std::vector<SessionRow>& rows, base::Time now, const ListArguments& arguments,
                bool has_titles) {
  std::vector<Column> columns{{"ALIAS"},
                              {"NAME", Align::left, 40},
                              {"STATUS"},
                              {"STARTED"},
                              {"RAN", Align::right},
                              {"TURNS", Align::right},
                              {"COST", Align::right},
                              {"ENGINE", Align::left, 60, true},
                              {"WORKDIR", Align::left, 48, true},
                              {"LABELS", Align::left, 32, true}};
  if (arguments.all_agents) columns.insert(columns.begin(), Column{"AGENT"});
  Table table(std::move(columns));
  const bool has_local_times = is_stdout_terminal() && !arguments.has_utc;
  std::vector<std::pair<std::size_t, const SessionRow*>> ordered;
  if (arguments.is_tree) ordered = tree_of(rows);
  for (const SessionRow& row : rows) {
    if (!arguments.is_tree) ordered.emplace_back(0, &row);
  }
  for (const auto& [depth, of] : ordered) {
    const SessionRow& row = *of;
    std::string silence = silence_text(row, now);
    if (!silence.empty()) silence.insert(0, ", ");
    std::string waiting = hook_wait_text(row, now);
    if (!waiting.empty()) waiting.insert(0, ", ");
    std::string ending = idle_end_text(row, now);
    if (!ending.empty()) ending.insert(0, ", ");
    const std::string branch = depth == 0 ? "" : std::string(2 * (depth - 1), ' ') + "└ ";
    std::vector<std::string> cells{row.alias,
                                   branch + row.name,
                                   status_text(row) + waiting + silence + ending,
                                   list_time_text(row.created_at, now, has_local_times),
                                   ran_text(row, now),
                                   turns_text(row),
                                   cost_text(row),
                                   row.engine,
                                   row.workdir,
                                   labels_text(row)};
    if (arguments.all_agents) cells.insert(cells.begin(), row.agent);
    table.add(std::move(cells));
    if (has_color()) table.color(arguments.all_agents ? 3 : 2, status_color(row));
  }
  const std::string text = table.text(stdout_columns());
  print(has_titles ? text : text.substr(text.find('\n') + 1));
}

// Prints rows as soon as it has them, but for what must be printed in one piece.
class Printer {
 public:
  Printer(Connection& connection, const ListArguments& arguments)
      : connection_(connection),
        arguments_(arguments),
        format_(connection.config().output),
        is_kept_(!arguments.is_quiet && (format_ == OutputFormat::json || arguments.is_tree)) {}

  void add(std::vector<SessionRow> rows) {
    if (rows.empty()) return;
    if (is_kept_) {
      std::move(rows.begin(), rows.end(), std::back_inserter(kept_));
    } else if (arguments_.is_quiet) {
      for (const SessionRow& row : rows) print(row.alias + "\n");
    } else if (format_ == OutputFormat::jsonl) {
      for (const SessionRow& row : rows) print(workers::to_json(row) + "\n");
    } else {
      print_rows(rows, connection_.clock().wall(), arguments_, printed_ == 0);
    }
    printed_ += static_cast<std::int64_t>(rows.size());
  }

  // `last`: what the answer says beside its rows.
  void end(workers::ListAnswer last) {
    last.sessions = std::move(kept_);
    if (is_kept_ && format_ == OutputFormat::table && !last.sessions.empty()) {
      print_rows(last.sessions, connection_.clock().wall(), arguments_, true);
    } else if (is_kept_ && format_ != OutputFormat::table) {
      print(workers::to_json(last) + "\n");
    }
    if (format_ != OutputFormat::table || arguments_.is_quiet) return;
    if (printed_ == 0) remark("no sessions");
    if (!last.has_more) return;
    remark(std::to_string(printed_) + " of " + std::to_string(last.total) +
           "; more with -n, all with --all");
  }

 private:
  Connection& connection_;
  const ListArguments& arguments_;
  const OutputFormat format_;
  const bool is_kept_;
  std::vector<SessionRow> kept_;
  std::int64_t printed_ = 0;
};

}  // namespace

Outcome<int> list(const Config& config, const ListArguments& arguments) {
  const base::Time now = base::SystemClock().wall();
  const auto filter = SessionFilter::of(arguments, now);
  if (!filter) return tl::unexpected(filter.error());
  if (arguments.is_quiet && is_flag(config, "output") && config.output != OutputFormat::table) {
    return fail(kExitUsage, "-q prints aliases alone, and -o rows; say one of them");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const bool is_all = arguments.is_all || (arguments.is_quiet && arguments.count == 0);
  const std::int64_t wanted = is_all                ? std::numeric_limits<std::int64_t>::max()
                              : arguments.count > 0 ? arguments.count
                                                    : kListed;
  workers::QueryBody query = filter->query();
  query.agent = arguments.all_agents ? "" : config.agent;
  // The server counts what it is asked for. What is chosen or sorted here is read to its end.
  const bool is_counted = !filter->leaves_out() && !filter->sorts() && query.active_since.us == 0;
  Printer printer(**connection, arguments);
  std::vector<SessionRow> sorted;
  std::int64_t found = 0;
  std::int64_t printed = 0;
  workers::ListAnswer page;
  base::Position last_shown;
  const auto show = [&](std::vector<SessionRow> rows) {
    const std::int64_t room = wanted - printed;
    if (static_cast<std::int64_t>(rows.size()) > room) rows.resize(static_cast<std::size_t>(room));
    if (rows.empty()) return;
    printed += static_cast<std::int64_t>(rows.size());
    last_shown = rows.back().opened;
    printer.add(std::move(rows));
  };
  do {
    query.limit = is_counted ? std::min<std::int64_t>(wanted - printed, projections::kSessionsMax)
                             : static_cast<std::int64_t>(projections::kSessionsMax);
    query.before = page.before;
    auto answer = (*connection)->ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!answer) return tl::unexpected(answer.error());
    page = std::move(*answer);
    std::vector<SessionRow> rows = std::exchange(page.sessions, {});
    std::erase_if(rows, [&](const SessionRow& row) { return !filter->matches(row); });
    found += static_cast<std::int64_t>(rows.size());
    if (filter->sorts()) {
      std::move(rows.begin(), rows.end(), std::back_inserter(sorted));
    } else {
      show(std::move(rows));
    }
  } while (page.has_more && (!is_counted || printed < wanted));
  if (filter->sorts()) {
    filter->sort(sorted);
    show(std::move(sorted));
  }
  if (!is_counted) {
    page.total = found;
    page.has_more = found > printed;
    page.before = page.has_more && !filter->sorts() ? last_shown : base::Position{};
  }
  printer.end(std::move(page));
  return kExitOk;
}

}  // namespace steno
