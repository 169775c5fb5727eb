// `wait`: returns once sessions have come to rest.
#include <algorithm>
#include <vector>

#include "eventlog/domain/session/cost_text.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_watch.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::safe_line;

// Blocks that are looked at for the agent's last words; it can have thought behind them.
constexpr std::int64_t kAnswerLines = 20;

// True if the session does nothing until somebody does something about it.
bool is_at_rest(const SessionRow& row) {
  if (domain::is_terminal(row.status)) return true;
  const bool goes_on = row.paused_until.us != 0 || row.pause == domain::EndReason::daily_budget ||
                       row.pause == domain::EndReason::session_limit ||
                       row.pause == domain::EndReason::deferred;
  return row.is_waiting_for_input || (row.pause != domain::EndReason::none && !goes_on);
}

// True if it rests because its work is done.
bool has_succeeded(const SessionRow& row) {
  if (domain::is_terminal(row.status)) return row.status == domain::SessionStatus::completed;
  return row.pause == domain::EndReason::none && row.attention != domain::Attention::failed &&
         row.attention != domain::Attention::over_budget;
}

class SessionWait {
 public:
  explicit SessionWait(Connection& connection) : connection_(connection) {}

  void add(const SessionRow& row) {
    agent_ = row.agent;
    if (std::find(pending_.begin(), pending_.end(), row.session) == pending_.end()) {
      pending_.push_back(row.session);
    }
  }

  // Prints the sessions that have come to rest.
  Outcome<Asked> tell(base::Position known) {
    workers::QueryBody query;
    query.agent = agent_;
    query.sessions = pending_;
    query.limit = projections::kSessionsMax;
    query.at_least = known;
    const auto answer = connection_.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->sessions.size() < pending_.size()) {
      return fail(kExitNotFound, "a session that is waited for is not on the record any more");
    }
    position_ = answer->position;
    working_.clear();
    for (const SessionRow& row : answer->sessions) {
      if (is_at_rest(row)) {
        has_failed_ |= !has_succeeded(row);
        std::erase(pending_, row.session);
        print_row(row);
        continue;
      }
      working_.push_back(row.alias);
      tell_ask(row);
    }
    return Asked{answer->position, pending_.empty()};
  }

  const std::string& agent() const { return agent_; }
  const std::vector<std::string>& working() const { return working_; }
  bool has_failed() const { return has_failed_; }
  void end() {
    if (connection_.config().output != OutputFormat::json) return;
    std::string rows;
    for (const std::string& row : rested_) rows += (rows.empty() ? "" : ",") + row;
    // As `ls` has it.
    workers::JsonObject list;
    list.add("position", position_).add_raw("sessions", "[" + rows + "]");
    list.add("has_more", false).add("before", base::Position{}).add("total", rested_.size());
    print(list.text() + "\n");
  }

 private:
  void print_row(const SessionRow& row) {
    switch (connection_.config().output) {
      case OutputFormat::json:
        return rested_.push_back(json_of(row));
      case OutputFormat::table:
        return print(row.alias + "  " + safe_line(row.name) + "  " + workers::status_text(row) +
                     "  " + workers::cost_text(row) + "\n");
      default:
        return print(json_of(row) + "\n");
    }
  }

  // Beside the cost and the denials, which the row has, programs want to know what was answered.
  std::string json_of(const SessionRow& row) {
    workers::Caller caller = connection_.caller();
    caller.agent = row.agent;
    const auto said =
        connection_.run(workers::show_output(caller, {row.session.text(), kAnswerLines}));
    workers::JsonObject object;
    object.add_fields(workers::to_json(row)).add("answer", said ? said->last_words : "");
    return object.text();
  }

  // Somebody must answer before it gets on, so it is told, once for each request.
  void tell_ask(const SessionRow& row) {
    if (connection_.config().output != OutputFormat::table) return;
    if (!domain::is_unanswered(row.asks)) return;
    const std::string text = row.alias + " " + workers::asks_text(row.asks) + "; steno approvals " +
                             row.alias + " shows all of it, and how to answer";
    if (std::find(told_.begin(), told_.end(), text) != told_.end()) return;
    told_.push_back(text);
    remark("→ " + text);
  }

  Connection& connection_;
  std::string agent_;
  std::vector<base::SessionId> pending_;
  std::vector<std::string> working_;  // aliases of those that did not rest when last asked
  std::vector<std::string> told_;
  std::vector<std::string> rested_;  // for one JSON document
  base::Position position_;          // of the last answer
  bool has_failed_ = false;
};

}  // namespace

Outcome<int> wait(const Config& config, const WaitArguments& arguments) {
  std::optional<base::Duration> within;
  if (!arguments.within.empty()) {
    within = parse_duration(arguments.within);
    if (!within) return fail(kExitUsage, "'" + arguments.within + "' is no duration such as 30m");
  } else if (is_flag(config, "timeout")) {
    remark("steno: --timeout is for each answer of the server; --within ends the waiting");
  }
  if (arguments.references.size() > projections::kSessionsMax) {
    return fail(kExitUsage, "at most " + std::to_string(projections::kSessionsMax) + " at once");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  SessionWait sessions(**connection);
  for (const std::string& reference : arguments.references) {
    const auto found = (*connection)->find(reference);
    if (!found) return tl::unexpected(found.error());
    if (!sessions.agent().empty() && sessions.agent() != found->session.agent) {
      return fail(kExitUsage, "'" + reference + "' is of the agent " + found->session.agent +
                                  ", others are of " + sessions.agent() +
                                  "; wait for those of one agent");
    }
    sessions.add(found->session);
  }
  (*connection)->take_interrupts();
  if (within) *within += (*connection)->clock().boot();
  auto code = watch_sessions(**connection, {workers::agent_level(sessions.agent()), within},
                             [&](base::Position known) { return sessions.tell(known); });
  if (!code) return code;
  sessions.end();
  if (*code == kExitTimeout) {
    std::string names;
    for (const std::string& alias : sessions.working()) names += " " + alias;
    return fail(kExitTimeout, "not at rest within " + arguments.within + ":" + names);
  }
  return *code == kExitOk && sessions.has_failed() ? kExitFailed : *code;
}

}  // namespace steno
