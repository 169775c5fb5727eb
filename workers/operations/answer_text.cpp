// Says what was done and what is there. A chat has less room than a model, and other ways on.
#include "workers/operations/answer_text.hpp"

#include <algorithm>
#include <chrono>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/session/cost_text.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "workers/operations/asking.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/operations/text_rows.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/ask_risk.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/setting_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

using projections::SessionRow;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string how_to_answer(const AskShown& ask, Reader reader) {
  const bool is_question = ask.kind == domain::AskKind::question;
  const std::string reference = ask_reference(ask);
  if (reader != Reader::person) {
    return is_question ? "answer it with session_answer" : "session_approve, or session_deny";
  }
  if (is_question)
    return "/answer " + reference + " ANSWER   (" + answer_hint(read_ask(ask.text)) + ")";
  return "/approve " + reference + "   /deny " + reference + " WHY";
}

constexpr std::size_t kRuleColumns = 60;
// Left for the heading and for what is said of a cut.
constexpr std::size_t kHeadingCharacters = 500;
constexpr std::size_t kResumablePromptColumns = 60;

// Returns so many characters.
std::string beginning_of(const std::string& text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && characters-- == 0) break;
  }
  return text.substr(0, end);
}

// Returns the last lines that fit, with a line feed before each; of one that is too long alone, the
// beginning. `shown` becomes how many they are.
std::string fitting_text(const std::deque<std::string>& lines, std::size_t characters_max,
                         std::size_t& shown) {
  std::string text;
  std::size_t left = characters_max;
  for (shown = 0; shown < lines.size(); ++shown) {
    const std::string& line = lines[lines.size() - 1 - shown];
    const std::size_t characters = characters_of(line) + 1;
    const bool fits = characters <= left;
    if (!fits && shown > 0) break;
    text.insert(0, "\n" + (fits ? line : beginning_of(line, left) + "…"));
    left = fits ? left - characters : 0;
  }
  return text;
}

}  // namespace

std::string text_of(const SessionPage& page, Reader reader) {
  if (page.sessions.empty()) return "No sessions found.";
  TextRows rows(reader);
  base::Position last_shown;
  for (const ListedSession& listed : page.sessions) {
    const SessionRow& row = listed.row;
    if (rows.add(session_lines(row, listed.prompt, page.as_of))) last_shown = row.opened;
  }
  const bool shows_all = rows.count() == page.sessions.size();
  if (shows_all && !page.has_more) return rows.text();
  const base::Position before = shows_all ? page.before : last_shown;
  return rows.text() + "\n\n" + std::to_string(rows.count()) + " of " + std::to_string(page.total) +
         (reader == Reader::person
              ? ", the newest; fewer with a status: /claude_sessions running"
              : "; the next ones with before: " + std::to_string(before.value));
}

std::string text_of(const ResumableSessions& resumable, Reader reader) {
  const SessionPage& page = resumable.page;
  TextRows rows(reader);
  for (const ListedSession& listed : page.sessions) {
    const SessionRow& row = listed.row;
    std::string lines = named_text(row) + ", ended " +
                        base::duration_text(page.as_of - row.closed_at) + " ago\n   📁 " +
                        safe_line(row.workdir);
    if (!row.agent_session.empty()) lines += "\n   🔗 " + row.agent_session;
    if (!listed.prompt.empty()) {
      lines += "\n   📝 " + prompt_beginning(listed.prompt, kResumablePromptColumns);
    }
    rows.add(lines);
  }
  std::string text = rows.text();
  if (page.has_more || rows.count() < page.sessions.size()) {
    text += "\n\nThe newest " + std::to_string(rows.count()) + " of " + std::to_string(page.total) +
            ".";
  }
  return text.empty() ? "No session can be resumed." : text;
}

std::string text_of(const Launched& launched, Reader) {
  const domain::SessionSpec& spec = launched.wanted.spec;
  const CommandReplyBody& reply = launched.spawned.reply;
  std::string text = "🚀 " + reply.name + " [" + reply.alias + "] is launched.";
  text += "\n   id      " + launched.spawned.session.text();
  text += "\n   dir     " + spec.workdir;
  text += "\n   model   " + (spec.model.empty() ? std::string("default") : spec.model);
  std::vector<domain::FileFacts> files;
  for (const domain::PromptFile& file : launched.wanted.files) {
    files.push_back(domain::facts_of(file));
  }
  text += "\n   prompt  " +
          domain::prompt_text(prompt_beginning(launched.wanted.prompt, kPromptColumnsMax), files);
  if (!launched.resumed.empty()) text += "\n   resumes " + launched.resumed;
  text += std::string("\n   mode    ") + (spec.is_multi_turn ? "multi-turn" : "single-turn");
  for (const std::string& note : launched.notes) text += "\n   note    " + note;
  return text;
}

std::string text_of(const SentPrompt& sent, Reader) {
  std::string text =
      "↩️ sent to " + named_text(sent.row) + ": " +
      domain::prompt_text(prompt_beginning(sent.prompt, kPromptColumnsMax), sent.files);
  const domain::EndReason pause = sent.reply.pause;
  if (pause != domain::EndReason::none) {
    text += "\nIt is paused " + pause_text(pause, sent.row.alias, sent.reply.paused_until);
  }
  return text;
}

std::string text_of(const KilledSession& killed, Reader) {
  return named_text(killed.row) + " is " + killed.killed.line + ".";
}

std::string text_of(const InterruptedTurn& interrupted, Reader) {
  return "interrupting " + named_text(interrupted.row);
}

namespace {

// Returns from when on the setting holds.
std::string from_when(const domain::SpecSetting& setting, const ChangedSession& changed) {
  using domain::SettingChange;
  if (setting.change == SettingChange::at_once) return "from now on";
  std::string later = "from its agent's next process on";
  if (setting.change == SettingChange::next_process) return later;
  switch (changed.heard) {
    case Heard::taken:
      return "from now on, the agent has been told";
    case Heard::refused:
      return later + ", the agent that runs refuses it";
    case Heard::at_next_start:
      return later;
    case Heard::not_yet:
      break;
  }
  return "once its agent takes it, which has not answered yet";
}

}  // namespace

std::string text_of(const ChangedSession& changed, Reader) {
  std::string text = named_text(changed.row) + ":";
  for (const std::string& key : changed.keys) {
    const domain::SpecSetting* setting = domain::find_spec_setting(key);
    if (setting == nullptr) continue;
    const std::string value = safe_line(setting_text(*setting, changed.spec));
    text += "\n  " + key + " " + (value.empty() ? "the agent's own" : value) + ": " +
            from_when(*setting, changed);
  }
  if (!changed.refusal.empty()) text += "\n  the agent said: " + safe_line(changed.refusal);
  return text;
}

std::string text_of(const RenamedSession& renamed, Reader) {
  return named_text(renamed.row) + " is called " + safe_line(renamed.reply.name) + " now";
}

std::string text_of(const OfferedCommands& offered, Reader) {
  if (offered.commands.empty()) {
    return named_text(offered.row) + " has not said yet what it understands behind a slash";
  }
  std::string text = named_text(offered.row) + " understands at the start of a prompt:\n ";
  for (const std::string& command : offered.commands) text += " /" + safe_line(command);
  return text;
}

std::string text_of(const AskPage& page, Reader reader) {
  if (page.asks.empty()) return "No agent waits for an answer.";
  TextRows rows(reader);
  for (const AskShown& ask : page.asks) {
    const AskText text = read_ask(ask.text);
    const AskRisk risk = risk_of(ask.tool, text);
    std::string row = "❓ " + ask_reference(ask) + " " + safe_line(ask.name) + ", waits " +
                      base::duration_text(page.as_of - ask.since) + "\n   " +
                      ask_line(ask.kind, ask.tool, text);
    const std::string why = why_text(text, ask.rule, ask.pattern);
    if (!why.empty()) row += "\n   why " + why;
    const std::string silence = unanswered_text(ask.kind, ask.until, ask.unanswered, page.as_of);
    if (!silence.empty()) row += "\n   is " + silence;
    if (!risk.reasons.empty()) {
      row += "\n   risk " + std::string(risk_name(risk.level)) + ": " + joined(risk.reasons);
    }
    const bool is_alone = page.asks.size() == 1;
    if (is_alone && ask.kind == domain::AskKind::approval && ask.rule == 0) {
      const std::string rule = pattern_for({ask.tool, ask.text, ask.workdir});
      if (!rule.empty()) row += "\n   --for always, --for session allow " + safe_line(rule);
    }
    // All of it where one is asked for.
    const std::size_t lines_max = is_alone ? 60 : ask.kind == domain::AskKind::question ? 10 : 1;
    for (const std::string& line : ask_lines(ask.kind, text, lines_max)) row += "\n   " + line;
    row += "\n   " + how_to_answer(ask, reader);
    // One that is too long alone is cut, and says so.
    const std::size_t room = characters_max(reader) - kHeadingCharacters;
    if (rows.count() == 0 && characters_of(row) > room) {
      row = beginning_of(row, room) + "…\n   (cut: steno approvals " + ask_reference(ask) +
            " shows all)\n   " + how_to_answer(ask, reader);
    }
    if (!rows.add(row)) break;
  }
  std::string text = rows.text();
  if (rows.count() < page.asks.size()) {
    text += "\n\nThe oldest " + std::to_string(rows.count()) + " of " +
            std::to_string(page.asks.size()) + ".";
  }
  return text;
}

std::string text_of(const AnsweredAsk& answered, Reader) {
  const AskShown& ask = answered.ask;
  const bool is_granted = answered.verdict == domain::AskVerdict::granted;
  const bool is_question = ask.kind == domain::AskKind::question;
  std::string text = is_granted ? (is_question ? "💬 answered " : "✅ approved ") : "⛔ denied ";
  text += ask_reference(ask) + ": " + ask_line(ask.kind, ask.tool, read_ask(ask.text));
  if (!answered.said.empty()) {
    text += "\n   " + prompt_beginning(answered.said, kPromptColumnsMax);
  }
  if (!answered.missing.empty()) {
    text += "\n   ⚠ the other input replaces the whole one, and lacks its " +
            safe_line(joined(answered.missing));
  }
  if (!answered.rule.empty()) {
    text += "\n   from now on allowed: " + safe_line(answered.rule) + " (steno rules ls)";
  }
  return text;
}

std::string text_of(const LastOutput& output, Reader reader) {
  const SessionRow& row = output.row;
  const bool is_chat = reader == Reader::person;
  std::string text = named_text(row) + " " + status_text(row) + " (" +
                     base::duration_text(age_of(row, output.as_of)) + ")\n" +
                     std::string(kRuleColumns, '-');
  if (output.lines.empty()) {
    return text + (output.has_any ? "\n(nothing before that)" : "\n(no output yet)");
  }
  std::size_t shown = 0;
  const std::size_t room = characters_max(reader) - kHeadingCharacters;
  const std::string lines = fitting_text(output.lines, room, shown);
  if (shown < output.lines.size() || lines.ends_with("…")) {
    text += "\n(cut: these are the last " + std::to_string(shown) + " of " +
            std::to_string(output.lines.size()) + " lines; " +
            (is_chat ? "" : "skip goes back, and ") + "steno output " + row.alias +
            " --all prints all)";
  }
  return text + lines;
}

std::string text_of(const EventPage& page, Reader) {
  return std::to_string(page.events.size()) + " events";
}

std::string text_of(const InForeground& watched, Reader reader) {
  const SessionRow& row = watched.row;
  const std::string text = named_text(row) + " is in the foreground of " + watched.channel +
                           ". What the channel has not seen comes first" +
                           (domain::is_terminal(row.status) ? "; it has ended, and nothing follows."
                                                            : ", then what follows as it comes.");
  return watched.output ? text + "\n" + text_of(*watched.output, reader) : text;
}

std::string text_of(const InBackground& unwatched, Reader) {
  std::string text;
  for (const SessionRow& row : unwatched.rows) {
    text += (text.empty() ? "" : "\n") + named_text(row) + " is in the background of " +
            unwatched.channel + ".";
  }
  return text.empty() ? "No session is currently in foreground." : text;
}

std::string text_of(const SessionTotals& totals, Reader) {
  const projections::MetricsReport& report = totals.report;
  const projections::MetricsTotals& sums = report.totals;
  const std::int64_t timed = sums.sessions_with_duration;
  std::string text = "📊 launched " + std::to_string(sums.launched) + ", running " +
                     std::to_string(report.live) + ", completed " + std::to_string(sums.completed) +
                     ", failed " + std::to_string(sums.failed) + ", killed " +
                     std::to_string(sums.killed);
  text += "\n⏱️ average duration " +
          (timed == 0 ? std::string("n/a")
                      : base::duration_text(std::chrono::milliseconds(sums.duration_ms / timed)));
  text += "\n💰 " + domain::cost_text(sums.cost, sums.basis);
  const projections::MostExpensive& dearest = sums.most_expensive;
  if (!dearest.session.is_set()) return text;
  text += "\n🏆 " + safe_line(dearest.name) + ", " + domain::cost_text(dearest.cost, dearest.basis);
  const std::string& prompt = totals.dearest_prompt;
  return prompt.empty() ? text : text + ": " + prompt_beginning(prompt, kPromptColumnsMax);
}

}  // namespace workers
