// Renders rows of the session list.
#include "tools/steno/operations/session_json.hpp"

#include "tools/steno/operations/session_text.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;

std::string_view icon_of(domain::SessionStatus status) {
  switch (status) {
    case domain::SessionStatus::none:
    case domain::SessionStatus::starting:
      return "🟡";
    case domain::SessionStatus::running:
      return "🟢";
    case domain::SessionStatus::completed:
      return "✅";
    case domain::SessionStatus::failed:
      return "❌";
    case domain::SessionStatus::killed:
      return "⛔";
  }
  return {};
}

std::string model_of(const SessionRow& row) {
  return row.agent_model.empty() ? row.model : row.agent_model;
}

}  // namespace

Json dollars_json(base::NanoUsd amount) {
  // The shortest decimal of this quotient is the exact amount, up to some 9,000,000 dollars.
  return static_cast<double>(amount.value) / 1e9;
}

Json milliseconds_json(base::Time time) {
  return time.us == 0 ? Json() : Json(time.us / 1000);
}

Json session_brief_json(const SessionRow& row) {
  return {{"id", row.session.text()},
          {"alias", row.alias},
          {"name", row.name},
          {"status", base::enum_name(row.status)}};
}

Json session_json(const SessionRow& row, const std::string& prompt, base::Time now) {
  Json json = session_brief_json(row);
  json["prompt"] = prompt;
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
  json["display"] = session_lines(row, prompt, now);
  return json;
}

std::string prompt_beginning(const std::string& prompt, std::size_t columns_max) {
  return workers::cut_to_columns(workers::safe_line(prompt), columns_max);
}

std::string session_title(const SessionRow& row, base::Time now) {
  return row.name + " [" + row.alias + "] (" + ran_text(row, now) + ")";
}

std::string session_lines(const SessionRow& row, const std::string& prompt, base::Time now) {
  std::string text(icon_of(row.status));
  text.append(" ").append(status_text(row)).append(" ").append(session_title(row, now));
  text.append(" — ").append(row.foreground.empty() ? "background" : "foreground").append(", ");
  text.append(row.is_multi_turn ? "multi-turn" : "single-turn").append(", ");
  text += cost_text(row);
  text += "\n   📁 " + workers::safe_line(row.workdir);
  if (!prompt.empty()) text += "\n   📝 " + prompt_beginning(prompt, kPromptColumnsMax);
  if (!row.agent_session.empty()) text += "\n   🔗 " + row.agent_session;
  if (row.resumed_from.is_set()) {
    text +=
        "\n   ↩️ resumed from " + row.resumed_from.text() + (row.is_fork ? " (forked)" : "");
  }
  return text;
}

}  // namespace steno
