// `attention`: lists the sessions that need a person, or notes that a person knows.
#include <algorithm>

#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_acts.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/connection/login.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/protocol/status.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;

// True if the session failed in a way that a missing login explains.
bool may_lack_login(const SessionRow& row, const engines::EngineCatalog& engines) {
  const engines::CatalogEntry* engine = engines.find(row.engine);
  const domain::EndReason reason =
      row.pause != domain::EndReason::none ? row.pause : row.end_reason;
  return row.attention == domain::Attention::failed && engine != nullptr &&
         engine->kind->has_login && reason == domain::EndReason::turn_error;
}

// Returns the command that logs the agents in; empty: none of these sessions needs it.
std::string missing_login(Connection& connection, const std::vector<SessionRow>& rows) {
  const engines::EngineCatalog& engines = connection.config().engines;
  const auto may_lack = [&](const SessionRow& row) { return may_lack_login(row, engines); };
  if (std::none_of(rows.begin(), rows.end(), may_lack)) return {};
  const auto status =
      connection.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  return status && lacks_login(status->facts) ? login_command(status->facts) : std::string();
}

// Without a login the session's own command would fail again.
std::string next_text(const SessionRow& row, const Config& config, const std::string& login) {
  const bool needs_login = !login.empty() && may_lack_login(row, config.engines);
  return (needs_login ? "log in (" + login + "); " : "") + attention_command(row, config.agent);
}

// A session that needs a person, and the command that helps.
struct Need {
  const SessionRow& row;  // of the answer, which outlives it
  std::string next;
};

struct NeedColumns {
  bool has_agent = false;
  bool has_next = false;
};

Table table_of(const std::vector<Need>& needs, base::Time now, const NeedColumns& shown) {
  constexpr std::size_t kNextColumns = 1'000;  // a command that is cut is none
  std::vector<Column> columns{
      {"ALIAS"}, {"NAME", Align::left, 40}, {"NEEDS"}, {"SINCE", Align::right}};
  if (shown.has_next) columns.push_back({"NEXT", Align::left, kNextColumns});
  if (shown.has_agent) columns.insert(columns.begin(), Column{"AGENT"});
  Table table(std::move(columns));
  for (const auto& [row, next] : needs) {
    std::vector<std::string> cells{row.alias, row.name, attention_text(row),
                                   duration_text(now - row.attention_since)};
    if (shown.has_next) cells.push_back(next);
    if (shown.has_agent) cells.insert(cells.begin(), row.agent);
    table.add(std::move(cells));
  }
  return table;
}

// On a terminal that is too narrow for the commands they stand below the rows.
std::string table_text(const std::vector<Need>& needs, base::Time now, bool has_agent) {
  const std::size_t columns = stdout_columns();
  std::string whole = table_of(needs, now, {has_agent, true}).text();
  const auto rows = workers::lines_of(whole);
  const bool fits = std::all_of(rows.begin(), rows.end(), [&](std::string_view row) {
    return workers::columns_of(row) <= columns;
  });
  if (columns == 0 || fits) return whole;
  const std::string narrow = table_of(needs, now, {has_agent, false}).text(columns);
  const auto lines = workers::lines_of(narrow);
  std::string text(lines.front());
  text += '\n';
  for (std::size_t i = 0; i < needs.size(); ++i) {
    text.append(lines[i + 1]).append("\n  → ");
    text.append(workers::safe_line(needs[i].next)).append("\n");
  }
  return text;
}

// Returns a line for each lane in which a conversation waits that is due.
std::string lanes_text(const workers::AttentionAnswer& answer, base::Time now) {
  std::string text;
  for (const projections::LaneShown& lane : answer.lanes) {
    if (lane.waiting == 0 || lane.due > now) continue;
    text += "lane " + std::string(base::enum_name(lane.lane)) + ": " +
            std::to_string(lane.running) + (lane.running == 1 ? " runs, " : " run, ") +
            std::to_string(lane.waiting) + (lane.waiting == 1 ? " waits" : " wait") +
            "; the first for " + duration_text(now - lane.since) +
            (lane.first.empty() ? "" : ": " + workers::safe_line(lane.first)) + "\n";
  }
  return text;
}

Outcome<void> dismiss(Connection& connection, const SessionRow& row) {
  const auto done = connection.run(dismiss_need(connection.caller(), row));
  if (!done) return tl::unexpected(done.error());
  remark(done->line);
  return {};
}

Outcome<int> dismiss_named(Connection& connection, const std::vector<std::string>& references) {
  for (const std::string& reference : references) {
    const auto found = connection.find(reference, false);
    if (!found) return tl::unexpected(found.error());
    if (const auto told = dismiss(connection, found->session); !told) {
      return tl::unexpected(told.error());
    }
  }
  return kExitOk;
}

Outcome<int> dismiss_all(Connection& connection, const workers::AttentionAnswer& answer) {
  for (const SessionRow& row : answer.sessions) {
    if (const auto told = dismiss(connection, row); !told) return tl::unexpected(told.error());
  }
  return kExitOk;
}

}  // namespace

Outcome<int> attention(const Config& config, const AttentionArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (!arguments.dismissed.empty()) {
    return dismiss_named(**connection, arguments.dismissed);
  }
  const std::string agent = arguments.all_agents ? "" : config.agent;
  const auto answer = (*connection)->run(workers::list_needing((*connection)->caller(), agent));
  if (!answer) return tl::unexpected(answer.error());
  if (arguments.dismisses_all) return dismiss_all(**connection, *answer);
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*answer) + "\n");
  } else if (config.output == OutputFormat::jsonl) {
    for (const SessionRow& row : answer->sessions) print(workers::to_json(row) + "\n");
  } else {
    const base::Time now = (*connection)->clock().wall();
    if (answer->sessions.empty()) {
      remark("no session needs anybody");
    } else {
      const std::string login = missing_login(**connection, answer->sessions);
      std::vector<Need> needs;
      for (const SessionRow& row : answer->sessions) {
        needs.push_back({row, next_text(row, config, login)});
      }
      print(table_text(needs, now, arguments.all_agents));
    }
    print(lanes_text(*answer, now));
  }
  return kExitOk;
}

}  // namespace steno
