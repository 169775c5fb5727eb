// The table of `ls`; wide terminals show more of it.
#include "tools/steno/client/list_text.hpp"

#include <map>
#include <set>
#include <utility>

#include "tools/steno/connection/silence.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/operations/session_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::cost_text;
using workers::idle_end_text;
using workers::labels_text;
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

}  // namespace

std::string list_text(const std::vector<SessionRow>& rows, base::Time now,
                      const ListArguments& arguments) {
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
  return table.text(stdout_columns());
}

}  // namespace steno
