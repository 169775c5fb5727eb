// Names each field once. Texts in an answer for programs are those for people.
#include "workers/operations/answer_json.hpp"

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/text/ask_risk.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/setting_text.hpp"

namespace workers {

Json dollars_json(base::NanoUsd amount) {
  // The shortest decimal of this quotient is the exact amount, up to some 9,000,000 dollars.
  return static_cast<double>(amount.value) / 1e9;
}

namespace {

using projections::SessionRow;

std::string model_of(const SessionRow& row) {
  return row.agent_model.empty() ? row.model : row.agent_model;
}

// Returns milliseconds since 1970; null where it is not set.
Json milliseconds_json(base::Time time) {
  return time.us == 0 ? Json() : Json(time.us / 1000);
}

// Returns id, alias, name and status.
Json brief_json(const SessionRow& row) {
  return {{"id", row.session.text()},
          {"alias", row.alias},
          {"name", row.name},
          {"status", base::enum_name(row.status)}};
}

Json session_json(const ListedSession& listed, base::Time now) {
  const SessionRow& row = listed.row;
  Json json = brief_json(row);
  json["prompt"] = listed.prompt;
  json["workdir"] = row.workdir;
  json["model"] = model_of(row);
  json["costUsd"] = dollars_json(row.cost);
  json["costBasis"] = base::enum_name(row.cost_basis);
  json["startedAt"] = milliseconds_json(row.created_at);
  json["completedAt"] = milliseconds_json(row.closed_at);
  json["durationMs"] = age_of(row, now).count() / 1000;
  json["claudeSessionId"] = row.agent_session.empty() ? Json() : Json(row.agent_session);
  json["foreground"] = !row.foreground.empty();
  json["foregroundChannels"] = row.foreground;
  json["multiTurn"] = row.is_multi_turn;
  json["waitingForInput"] = row.is_waiting_for_input;
  json["denied"] = row.denied;
  json["deniedTools"] = row.denied_tools;
  json["labels"] = row.labels;
  json["display"] = session_lines(row, listed.prompt, now);
  return json;
}

Json sessions_json(const SessionPage& page) {
  Json json;
  json["sessions"] = Json::array();
  for (const ListedSession& listed : page.sessions) {
    json["sessions"].push_back(session_json(listed, page.as_of));
  }
  json["count"] = page.sessions.size();
  return json;
}

Json ask_json(const AskShown& ask) {
  const AskText text = read_ask(ask.text);
  Json json = {{"session", ask.session.text()},
               {"alias", ask.alias},
               {"name", ask.name},
               {"ask", ask.ask},
               {"kind", base::enum_name(ask.kind)},
               {"tool", ask.tool},
               {"since", milliseconds_json(ask.since)},
               {"summary", ask_line(ask.kind, ask.tool, text)}};
  json["input"] = Json::parse(text.input, nullptr, false);
  json["reason"] = why_text(text, ask.rule, ask.pattern);
  json["rule"] = ask.rule;
  json["suggestions"] = Json::parse(text.suggestions, nullptr, false);
  const AskRisk risk = risk_of(ask.tool, text);
  const bool is_call = ask.kind == domain::AskKind::approval;
  json["risk"] = is_call ? Json(risk_name(risk.level)) : Json();
  json["risks"] = is_call ? risk.reasons : std::vector<std::string>();
  json["leftOut"] = ask.left_out;
  return json;
}

}  // namespace

std::string ascii_text(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const SessionPage& page) {
  Json json = sessions_json(page);
  json["total"] = page.total;
  if (page.has_more) json["before"] = page.before.value;
  return json;
}

Json json_of(const ResumableSessions& resumable) {
  return sessions_json(resumable.page);
}

Json json_of(const Launched& launched) {
  const domain::SessionSpec& spec = launched.wanted.spec;
  const CommandReplyBody& reply = launched.spawned.reply;
  Json json = {
      {"id", launched.spawned.session.text()},   {"alias", reply.alias},    {"name", reply.name},
      {"status", base::enum_name(reply.status)}, {"workdir", spec.workdir}, {"model", spec.model}};
  json["notes"] = launched.notes;
  return json;
}

Json json_of(const SentPrompt& sent) {
  Json json = brief_json(sent.row);
  json["status"] = base::enum_name(sent.reply.status);
  json["interrupted"] = sent.is_interrupting;
  json["paused"] = sent.reply.pause != domain::EndReason::none;
  json["injected"] = sent.reply.injected_into.is_set();
  return json;
}

Json json_of(const KilledSession& killed) {
  Json json = brief_json(killed.row);
  json["status"] = base::enum_name(killed.killed.reply.status);
  json["message"] = text_of(killed, Reader::program);
  return json;
}

Json json_of(const InterruptedTurn& interrupted) {
  Json json = brief_json(interrupted.row);
  json["status"] = base::enum_name(interrupted.reply.status);
  return json;
}

Json json_of(const ChangedSession& changed) {
  Json json = brief_json(changed.row);
  Json& settings = json["settings"] = Json::object();
  for (const std::string& key : changed.keys) {
    const domain::SpecSetting* setting = domain::find_spec_setting(key);
    if (setting != nullptr) settings[key] = setting_text(*setting, changed.spec);
  }
  json["heard"] = base::enum_name(changed.heard);
  json["refusal"] = changed.refusal;
  json["message"] = text_of(changed, Reader::program);
  return json;
}

Json json_of(const RenamedSession& renamed) {
  Json json = brief_json(renamed.row);
  json["name"] = renamed.reply.name;
  json["was"] = renamed.row.name;
  json["status"] = base::enum_name(renamed.reply.status);
  return json;
}

Json json_of(const OfferedCommands& offered) {
  Json json = brief_json(offered.row);
  json["commands"] = offered.commands;
  return json;
}

Json json_of(const AskPage& page) {
  Json json;
  json["asks"] = Json::array();
  for (const AskShown& ask : page.asks) json["asks"].push_back(ask_json(ask));
  json["count"] = page.asks.size();
  return json;
}

Json json_of(const AnsweredAsk& answered) {
  Json json = {{"id", answered.ask.session.text()}, {"alias", answered.ask.alias},
               {"ask", answered.ask.ask},           {"kind", base::enum_name(answered.ask.kind)},
               {"tool", answered.ask.tool},         {"verdict", base::enum_name(answered.verdict)}};
  json["rule"] = answered.rule;
  json["message"] = text_of(answered, Reader::program);
  return json;
}

Json json_of(const LastOutput& output) {
  const SessionRow& row = output.row;
  const base::Duration age = age_of(row, output.as_of);
  Json json = brief_json(row);
  json["costUsd"] = dollars_json(row.cost);
  json["costBasis"] = base::enum_name(row.cost_basis);
  json["durationMs"] = age.count() / 1000;
  json["duration"] = base::duration_text(age);
  json["lines"] = output.lines;
  json["lineCount"] = output.lines.size();
  json["isCut"] = output.is_cut;
  json["result"] = output.last_words;
  return json;
}

Json json_of(const EventPage& page) {
  Json json = brief_json(page.row);
  json["events"] = Json::array();
  for (const std::string& event : page.events) json["events"].push_back(Json::parse(event));
  json["through"] = page.through.value;
  json["hasMore"] = page.through < page.row.last_position;
  return json;
}

Json json_of(const InForeground& watched) {
  Json json = brief_json(watched.row);
  json["channel"] = watched.channel;
  if (watched.output) json["lines"] = watched.output->lines;
  return json;
}

Json json_of(const InBackground& unwatched) {
  Json json;
  json["channel"] = unwatched.channel;
  json["sessions"] = Json::array();
  for (const SessionRow& row : unwatched.rows) json["sessions"].push_back(brief_json(row));
  return json;
}

Json json_of(const SessionTotals& totals) {
  const projections::MetricsReport& report = totals.report;
  const projections::MetricsTotals& sums = report.totals;
  Json json;
  json["totalCostUsd"] = dollars_json(sums.cost);
  json["totalCostBasis"] = base::enum_name(sums.basis);
  json["costPerDay"] = Json::object();
  for (const auto& [day, cost] : report.cost_per_day) json["costPerDay"][day] = dollars_json(cost);
  json["sessionsByStatus"] = {{"completed", sums.completed},
                              {"failed", sums.failed},
                              {"killed", sums.killed},
                              {"running", report.live}};
  json["totalLaunched"] = sums.launched;
  const std::int64_t timed = sums.sessions_with_duration;
  json["averageDurationMs"] = timed == 0 ? Json() : Json(sums.duration_ms / timed);
  json["mostExpensive"] = nullptr;
  const projections::MostExpensive& dearest = sums.most_expensive;
  if (dearest.session.is_set()) {
    json["mostExpensive"] = {
        {"id", dearest.session.text()},
        {"name", dearest.name},
        {"costUsd", dollars_json(dearest.cost)},
        {"prompt", prompt_beginning(totals.dearest_prompt, kPromptColumnsMax)}};
  }
  json["display"] = text_of(totals, Reader::program);
  return json;
}

}  // namespace workers
