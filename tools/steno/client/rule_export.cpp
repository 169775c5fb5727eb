// `steno rules export`: writes rules that allow as an approvals.json, and what was decided.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "eventlog/domain/all_events.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/known_rules.hpp"
#include "tools/steno/client/session_events.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/rules/foreign_rules.hpp"

namespace steno {
namespace {

using domain::Rule;
using Json = nlohmann::ordered_json;

// Returns why the form cannot say the rule; empty: it can, by `entry`.
std::string_view fault_of(const Rule& rule, const std::optional<std::string>& entry) {
  if (rule.verdict == domain::RuleVerdict::deny) return "it denies";
  if (rule.verdict == domain::RuleVerdict::ask) return "it has people asked";
  if (rule.session.is_set()) return "it is for one session";
  return entry ? "" : "no entry is read as this pattern";
}

// Collects what was decided of the requests of one session.
class Decided {
 public:
  Decided(const projections::SessionRow& row, base::Time since, Json& history)
      : row_(row), since_(since), history_(history) {}

  void on(const workers::SeenEvent& seen) {
    const domain::Event& event = seen.recorded.event;
    if (const auto* raised = event.as<domain::AskRaised>()) {
      if (raised->kind == domain::AskKind::approval) tools_[raised->ask] = raised->tool;
    } else if (const auto* answered = event.as<domain::AskAnswered>()) {
      const auto tool = tools_.find(answered->ask);
      const base::Time at = seen.recorded.envelope.log_time;
      if (tool == tools_.end() || at < since_) return;
      const bool is_granted = answered->verdict == domain::AskVerdict::granted;
      history_.push_back({{"requestId", row_.alias + "#" + std::to_string(answered->ask)},
                          {"tool", workers::approval_tool(tool->second)},
                          {"decision", is_granted ? "approve" : "deny"},
                          {"timestamp", at.us / 1000}});
    }
  }

 private:
  const projections::SessionRow& row_;
  const base::Time since_;
  Json& history_;
  std::map<std::int64_t, std::string> tools_;  // by request
};

Outcome<Json> history_since(Connection& connection, const std::string& agent, base::Time since) {
  const auto rows = sessions_since(connection, agent, since);
  if (!rows) return tl::unexpected(rows.error());
  Json history = Json::array();
  for (const projections::SessionRow& row : *rows) {
    Decided decided(row, since, history);
    const auto read = read_session(connection, row, "nothing was written",
                                   [&](const workers::SeenEvent& seen) { decided.on(seen); });
    if (!read) return tl::unexpected(read.error());
  }
  std::stable_sort(history.begin(), history.end(), [](const Json& a, const Json& b) {
    return a["timestamp"].get<std::int64_t>() < b["timestamp"].get<std::int64_t>();
  });
  return history;
}

}  // namespace

Outcome<int> rules_export(const Config& config, const RuleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto known = known_rules(**connection, {});
  if (!known) return tl::unexpected(known.error());
  Json file = {{"alwaysApprove", Json::object()}, {"history", Json::array()}};
  if (!arguments.since.empty()) {
    const auto since = since_of(arguments.since, (*connection)->clock().wall());
    if (!since) return tl::unexpected(since.error());
    auto history = history_since(**connection, arguments.all_agents ? "" : config.agent, *since);
    if (!history) return tl::unexpected(history.error());
    file["history"] = std::move(*history);
  }
  std::int64_t left_out = 0;
  for (const auto& [number, rule] : known->state.rules) {
    if (!arguments.all_agents && !rule.agent.empty() && rule.agent != config.agent) continue;
    const auto entry = workers::approval_entry(rule.pattern);
    const std::string_view fault = fault_of(rule, entry);
    if (fault.empty()) {
      file["alwaysApprove"][*entry] = true;
      continue;
    }
    ++left_out;
    remark("left out: " + known->text_of(number) + ": " + std::string(fault));
  }
  print(file.dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
  if (left_out == 0) return kExitOk;
  return fail(kExitFailed, std::to_string(left_out) + (left_out == 1 ? " rule" : " rules") +
                               " cannot be said in this form, as said above");
}

}  // namespace steno
