// Reads the beginning of the session for its name and prompt, and its end, backwards from the event
// that the notification is about, for the agent's last words.
#include "workers/notifications/notice.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "eventlog/base/time_text.hpp"
#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/conversation/announce.hpp"
#include "eventlog/domain/conversation/silent_reply.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/stream_reader.hpp"
#include "workers/notifications/command_template.hpp"
#include "workers/notifications/shown_output.hpp"
#include "workers/text/ask_risk.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/characters.hpp"
#include "workers/text/end_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

using base::StreamVersion;
using domain::NotificationKind;
using domain::RecordedEvent;

constexpr std::size_t kLastBlocksMax = 5;  // of last words
constexpr std::size_t kLastCharactersMax = 500;
constexpr std::size_t kAnswerCharactersMax = 3'500;  // of a conversation; channels take no more
constexpr std::size_t kLastForProgramsMax = 16'000;  // for hooks and other agents
// Of what an agent asks; the place where it is answered shows all.
constexpr std::size_t kAskedLinesMax = 30;
constexpr std::size_t kPromptCharactersMax = 60;
constexpr std::size_t kLookedAtMax = 5'000;                     // events
constexpr std::int64_t kNoticeReadMax = std::int64_t{1} << 20;  // longer texts are not read
// The index follows the log within moments, unless it is being rebuilt.
constexpr base::Duration kNoticePatience = std::chrono::milliseconds(250);

// Returns the words for a failure of the model, or of its tools' number; empty: it is another one.
std::string_view failure_words(const domain::TurnFailed& e) {
  if (e.subtype == "error_max_turns") return "Tool execution limit reached.";
  const bool is_of_model =
      e.api_status != 0 || e.subtype == "success" || e.subtype == "error_during_execution";
  return is_of_model ? "Inference failed." : "";
}

void add_words(std::string& text, std::string_view words) {
  if (!words.empty()) text.append(text.empty() ? "" : " ").append(words);
}

// True if the notice is an answer to a message of a conversation. A channel in the foreground has
// seen the words.
bool is_answer(const Notice& notice) {
  const NotificationKind kind = notice.requested.kind;
  const bool is_rest = kind == NotificationKind::waiting || kind == NotificationKind::completed;
  const bool is_of_talk = !notice.conversation.empty() && notice.is_multi_turn;
  return is_of_talk && is_rest && !notice.requested.is_foreground;
}

// Collects what a notice says from a session's events.
class NoticeReader {
 public:
  NoticeReader(eventlog::BlockStore& log, eventlog::StreamIndex& index, Notice& notice)
      : log_(log),
        notice_(notice),
        stream_(log, index,
                domain::session_stream(notice.requested.agent, notice.requested.session)) {}

  base::Result<void> read() {
    auto block = stream_.block_of(StreamVersion{1});
    if (!block) return tl::unexpected(block.error());
    if (auto ok = add_contents(*block); !ok) return ok;
    for (const RecordedEvent& event : block->events) {
      domain::visit([&](const auto& fact) { begin(fact, event); }, event.event);
    }
    const std::string& given_since = notice_.requested.name;
    if (!given_since.empty()) notice_.name = notice_.given_name = given_since;
    if (auto ok = read_end(); !ok) return ok;
    // The beginning can be in an archive.
    if (opened_.us != 0) notice_.lived = ended_ - opened_;
    if (!notice_.conversation.empty()) {
      const bool has_silent =
          std::erase_if(said_, [](const std::string& text) { return domain::is_silent(text); }) > 0;
      notice_.is_for_nobody = (has_silent || is_answer(notice_)) && said_.empty();
    }
    const bool is_announced = !notice_.requested.parent_key->empty();
    if (is_announced && said_.size() > 1) said_.resize(1);
    std::reverse(said_.begin(), said_.end());
    for (const std::string& text : said_) {
      notice_.last.append(notice_.last.empty() ? "" : "\n").append(text);
    }
    const bool is_for_people =
        notice_.requested.target != domain::NotificationTarget::hook && !is_announced;
    const std::size_t for_people =
        notice_.conversation.empty() ? kLastCharactersMax : kAnswerCharactersMax;
    notice_.last = last_characters(notice_.last, is_for_people ? for_people : kLastForProgramsMax);
    if (notice_.ask != 0) notice_.last = notice_.asked;
    notice_.at = ended_;
    return {};
  }

 private:
  base::Result<void> read_end() {
    const StreamVersion through = notice_.requested.through;
    std::size_t looked_at = 0;
    for (StreamVersion version = through; version.value > 0;) {
      auto block = stream_.block_of(version);
      if (!block) return tl::unexpected(block.error());
      if (block->events.empty() || block->events.front().envelope.version > version) break;
      const StreamVersion first = block->events.front().envelope.version;
      looked_at += block->events.size();
      std::erase_if(block->events, [&](const RecordedEvent& event) {
        return event.envelope.version > through || !is_of_end(event);
      });
      if (auto ok = add_contents(*block); !ok) return ok;
      for (auto event = block->events.rbegin(); event != block->events.rend(); ++event) {
        if (ended_.us == 0) ended_ = event->envelope.log_time;
        domain::visit([&](const auto& fact) { end(fact, *event); }, event->event);
      }
      if (said_.size() >= kLastBlocksMax || looked_at >= kLookedAtMax || is_past_turn_) break;
      version = first.plus(-1);
    }
    return {};
  }

  base::Result<void> add_contents(eventlog::BlockEvents& block) {
    return eventlog::add_contents(log_, block.first, block.events, kNoticeReadMax);
  }

  // Words of its subagents and thoughts are not what the agent says. Of an answer to it only the
  // prompt is told, which is the newest one.
  bool is_of_end(const RecordedEvent& event) const {
    const auto* output = event.event.as<domain::OutputRecorded>();
    const bool is_prompt =
        event.event.is<domain::TurnQueued>() || event.event.is<domain::PromptInjected>();
    const bool is_of_answer = notice_.requested.kind == domain::NotificationKind::responded;
    if (is_prompt || is_of_answer) return is_prompt && is_of_answer;
    if (output == nullptr) return true;
    return output->kind == domain::OutputKind::text && output->parent.empty();
  }
  static std::string text_of(const RecordedEvent& event) {
    return event.content ? event.content->text : std::string();
  }

  template <class Fact>
  void end(const Fact&, const RecordedEvent&) {}
  void end(const domain::OutputRecorded&, const RecordedEvent& event) { say(text_of(event)); }
  void say(std::string text) {
    const bool has_room = said_.size() < kLastBlocksMax && !is_past_turn_;
    if (has_room && !text.empty()) said_.push_back(std::move(text));
  }
  // What was said before, in a conversation, was for another message, perhaps of another place.
  void end(const domain::TurnStarted&, const RecordedEvent&) { end_turn(); }
  void end(const domain::OwnTurnStarted&, const RecordedEvent&) { end_turn(); }
  // A turn that began with the end of the one that is told has said nothing yet.
  void end_turn() {
    const bool is_it = has_turn_ended_ || !said_.empty() || notice_.ask != 0;
    is_past_turn_ |= is_it && !notice_.conversation.empty();
  }
  void end(const domain::TurnQueued& e, const RecordedEvent& event) { respond(e.files, event); }
  void end(const domain::PromptInjected& e, const RecordedEvent& event) { respond(e.files, event); }
  void respond(const std::vector<domain::FileFacts>& files, const RecordedEvent& event) {
    if (!said_.empty()) return;
    said_.assign(kLastBlocksMax, std::string());  // no more is looked for
    said_.front() = domain::prompt_text(text_of(event), files);
  }
  void end(const domain::SessionClosed& e, const RecordedEvent&) {
    notice_.reason = e.reason;
    notice_.is_completed = e.status == domain::SessionStatus::completed;
  }
  void end(const domain::QueuePaused& e, const RecordedEvent& event) {
    const bool is_told = notice_.requested.kind == domain::NotificationKind::paused;
    if (!is_told || notice_.reason != domain::EndReason::none) return;
    notice_.reason = e.reason;
    notice_.until = e.until;
    if (e.reason == domain::EndReason::usage_limit) notice_.error = text_of(event);
  }
  void end(const domain::TasksLost& e, const RecordedEvent&) {
    if (notice_.tasks_lost == 0) notice_.tasks_lost = e.tasks;
  }
  // The end of what an agent says that could not begin.
  void end(const domain::AgentExited&, const RecordedEvent& event) {
    if (notice_.reason != domain::EndReason::agent_exited || has_agent_exited_) return;
    has_agent_exited_ = true;
    const std::string name(base::enum_name(notice_.reason));
    if (notice_.error.empty() || notice_.error == name) notice_.error = text_of(event);
    notice_.error = last_characters(notice_.error, kLastCharactersMax);
  }
  // Only of the last turn.
  void end(const domain::TurnFailed& e, const RecordedEvent& event) {
    if (!std::exchange(has_turn_ended_, true)) {
      const std::string text = text_of(event);
      notice_.error = failure_words(e);
      add_words(notice_.error, text);
      if (text.empty()) {
        add_words(notice_.error, failure_reason(e));
      }
      notice_.error = first_characters(notice_.error, kLastCharactersMax);
    }
  }
  void end(const domain::TurnFinished& e, const RecordedEvent& event) {
    const bool is_last = !std::exchange(has_turn_ended_, true);
    const std::string text = text_of(event);
    const bool has_text = event.envelope.content && event.envelope.content->bytes > 0;
    if (is_last) notice_.end = end_text(e, has_text);
    if (e.is_answer) say(text);
  }
  void end(const domain::AgentStartFailed&, const RecordedEvent& event) {
    if (!notice_.error.empty() || has_turn_ended_) return;
    notice_.error = first_characters(text_of(event), kLastCharactersMax);
  }
  // Prompts that waited are interrupted by the session's end, whatever came before.
  void end(const domain::TurnInterrupted& e, const RecordedEvent&) {
    using domain::EndReason;
    if (e.reason == EndReason::session_ended || e.reason == EndReason::expired) return;
    // What follows says why.
    if (e.reason == EndReason::start_failed) return;
    const bool is_failure = e.reason != EndReason::user && e.reason != EndReason::stopped;
    const NotificationKind kind = notice_.requested.kind;
    const bool is_told = kind == NotificationKind::turn_failed || kind == NotificationKind::paused;
    if (is_told && !is_failure) return;
    const bool is_last = !std::exchange(has_turn_ended_, true);
    if (is_last && is_told) notice_.error = base::enum_name(e.reason);
  }
  // The newest one, of which the notification is.
  void end(const domain::AskRaised& e, const RecordedEvent& event) {
    if (notice_.requested.kind != NotificationKind::asks || notice_.ask != 0) return;
    const AskText text = read_ask(text_of(event));
    notice_.ask = e.ask;
    notice_.ask_kind = e.kind;
    notice_.asked = ask_line(e.kind, e.tool, text);
    notice_.asked_lines = ask_lines(e.kind, text, kAskedLinesMax);
    notice_.why = why_text(text, e.rule, e.pattern);
    for (const std::string& reason : risk_of(e.tool, text).reasons) {
      notice_.risks += (notice_.risks.empty() ? "" : ", ") + reason;
    }
  }
  void end(const domain::AgentSilenceReported&, const RecordedEvent&) {
    if (!std::exchange(is_stuck_known_, true)) notice_.is_silent = true;
  }
  void end(const domain::ToolCallsRepeated&, const RecordedEvent&) { is_stuck_known_ = true; }

  template <class Fact>
  void begin(const Fact&, const RecordedEvent&) {}
  void begin(const domain::SessionOpened& e, const RecordedEvent& event) {
    opened_ = event.envelope.log_time;
    notice_.given_name = e.name;
    if (!e.name.empty()) notice_.name = e.name;
    notice_.engine = e.spec->engine;
    notice_.conversation = e.descriptor->conversation;
    notice_.workdir = e.spec->workdir;
    notice_.is_multi_turn = e.spec->is_multi_turn;
  }
  void begin(const domain::SessionNamed&, const RecordedEvent& event) {
    if (event.content) notice_.name = event.content->text;
  }
  void begin(const domain::TurnQueued&, const RecordedEvent& event) {
    if (!notice_.prompt.empty()) return;
    notice_.prompt = first_characters(text_of(event), kPromptCharactersMax);
  }

  eventlog::BlockStore& log_;
  Notice& notice_;
  eventlog::StreamReader stream_;
  std::vector<std::string> said_;  // the newest first
  bool has_turn_ended_ = false;    // the last turn's end was seen
  bool is_past_turn_ = false;      // the beginning of the last turn was seen
  bool is_stuck_known_ = false;
  bool has_agent_exited_ = false;
  base::Time opened_;
  base::Time ended_;
};

// Returns what people are to know of an end beside its kind: that it was odd, and what was denied;
// empty: nothing.
std::string caution_text(const Notice& notice) {
  const domain::NotificationRequested& requested = notice.requested;
  std::string text = notice.end;
  const std::string denied = denied_text(requested.denied, requested.denied_tools);
  if (!denied.empty()) text += (text.empty() ? "" : "; ") + denied;
  return text;
}

std::string id_text(const Notice& notice) {
  return "[" + notice.requested.alias + "]";
}

std::string named(const Notice& notice) {
  return notice.name + " " + id_text(notice);
}

// True if its work ended because Steno did, by a crash or a stop.
bool is_of_restart(domain::EndReason reason) {
  return reason == domain::EndReason::worker_lost || reason == domain::EndReason::stopped;
}

// True if a stop of the server ended it, which can go on.
bool is_stopped(const Notice& notice) {
  return notice.requested.kind == NotificationKind::killed &&
         notice.reason == domain::EndReason::stopped;
}

// Adds a line with a text, if there is one.
void add_line(std::string& text, std::string_view before, std::string_view line) {
  if (!line.empty()) text.append("\n").append(before).append(line);
}

// The agent's last words; a channel in the foreground has seen them. Nor are they repeated where
// the text ends with them already, as with an error that is what the agent said last.
void add_last_words(std::string& text, const Notice& notice) {
  if (notice.requested.is_foreground || notice.last.empty()) return;
  if (notice.error.ends_with(notice.last) && text.ends_with(notice.error)) return;
  text.append("\n\n").append(notice.last);
}

// "✅ Claude Code fix-bug [id] completed (3m20s)", where it ran, what it was asked, why it failed,
// and what it said last. "⚠️ … completed, but 1 tool call was denied: Write (3m20s)", if
// there is something to be known.
std::string ended_text(const Notice& notice, std::string_view sign) {
  const std::string caution = caution_text(notice);
  const bool is_completed = notice.requested.kind == NotificationKind::completed;
  std::string text(is_completed && !caution.empty() ? "⚠️" : sign);
  text += " " + notice.title + " ";
  const std::string how = is_stopped(notice) ? "was stopped with the server"
                                             : std::string(base::enum_name(notice.requested.kind));
  text += named(notice) + " " + how + (caution.empty() ? "" : ", but " + caution) + " (" +
          base::duration_text(notice.lived) + ")";
  add_line(text, "📁 ", notice.workdir);
  add_line(text, "📝 ", notice.prompt);
  add_line(text, "⚠️ ", notice.error);
  if (is_of_restart(notice.reason)) {
    add_line(text, "⚠️ ", "Internal error.");
    if (is_stopped(notice)) add_line(text, "Go on: ", "steno resume " + notice.requested.alias);
  } else if (notice.error.empty() && notice.reason != domain::EndReason::none &&
             notice.reason != domain::EndReason::user) {
    add_line(text, "⚠️ ", base::enum_name(notice.reason));
  }
  add_last_words(text, notice);
  return text;
}

// True if the words end with a question.
bool is_question(std::string_view words) {
  const std::size_t end = words.find_last_not_of(" \t\r\n*_`\"')");
  words = words.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return words.ends_with('?') || words.ends_with("？") || words.ends_with("؟");
}

// The place of a conversation hears the words alone.
std::string answer_text(const Notice& notice) {
  std::string text = notice.last;
  add_line(text, "⚠️ ", caution_text(notice));
  return text;
}

// A channel in the foreground has seen the words.
std::string waiting_text(const Notice& notice) {
  if (is_answer(notice)) return answer_text(notice);
  if (notice.requested.is_foreground) {
    return "💬 Session " + named(notice) + " is waiting for input (" +
           base::duration_text(notice.lived) + ")\nReply: steno send " + notice.requested.alias +
           " \"…\"";
  }
  std::string text = "🔔 [" + notice.name + "] " + notice.speaker;
  text += is_question(notice.last) ? " asks:" : " waits for input:";
  if (notice.last.empty()) text.pop_back();
  add_line(text, "", notice.last);
  add_line(text, "⚠️ ", caution_text(notice));
  return text;
}

std::string ask_reference(const Notice& notice) {
  return notice.requested.alias + "#" + std::to_string(notice.ask);
}

// A place where people chat can answer there.
std::string asks_text(const Notice& notice) {
  const std::string reference = ask_reference(notice);
  const bool is_question = notice.ask_kind == domain::AskKind::question;
  std::string text = "❓ [" + notice.name + "] " + notice.speaker +
                     (notice.ask_kind == domain::AskKind::approval ? " asks for approval: " : " ") +
                     notice.asked;
  for (const std::string& line : notice.asked_lines) add_line(text, "   ", line);
  add_line(text, "Why: ", notice.why);
  add_line(text, "⚠️ ", notice.risks);
  add_line(text, "",
           is_question ? "/answer " + reference + " …"
                       : "/approve " + reference + "   /deny " + reference + " …");
  return text;
}

std::string stuck_text(const Notice& notice) {
  return notice.is_silent ? "says nothing, and no tool runs"
                          : "makes one tool call again and again";
}

}  // namespace

base::Result<Notice> read_notice(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                                 const DeliveryJob& job, int stop_fd) {
  Notice notice;
  notice.notification = job.notification;
  notice.requested = job.requested;
  notice.name = job.requested.alias;
  if (!job.requested.session.is_set()) return notice;  // it is about no single one
  auto read = wait_for_index(index, job.notification, kNoticePatience, stop_fd);
  if (read) read = NoticeReader(log, index, notice).read();
  if (!read && read.error().code == base::ErrorCode::busy) return tl::unexpected(read.error());
  if (!read) notice.fault = "the session's words cannot be read: " + read.error().text;
  // The log's kind says that nobody gets an answer. The session itself has not failed.
  const bool is_of_stop = notice.reason == domain::EndReason::stopped;
  NotificationKind& kind = notice.requested.kind;
  if (is_of_stop && kind == NotificationKind::failed) kind = NotificationKind::killed;
  return notice;
}

void name_agent(Notice& notice, const engines::EngineCatalog& engines) {
  const engines::CatalogEntry* entry = engines.find(notice.engine);
  if (entry == nullptr) return;
  notice.speaker = entry->kind->speaker;
  notice.title = entry->kind->title;
}

namespace {

std::string spent_text(domain::EndReason reason) {
  if (reason == domain::EndReason::daily_budget) {
    return "the budget of its agent for the day is spent";
  }
  if (reason == domain::EndReason::agent_budget) {
    return "the budget of its agent over all time is spent";
  }
  if (reason == domain::EndReason::none || reason == domain::EndReason::budget) {
    return "its budget is spent";
  }
  return "it has used up its " + std::string(base::enum_name(reason));
}

std::string unanswered_text(const Notice& notice) {
  const domain::UnansweredMessages& of = *notice.requested.unanswered;
  const std::string many =
      std::to_string(of.messages) + (of.messages == 1 ? " message was" : " messages were");
  return many + " given to no agent in " + of.conversation + ": " + of.why;
}

bool is_behind_cap(const Notice& notice) {
  return notice.requested.kind == domain::NotificationKind::paused && domain::is_cap(notice.reason);
}

std::string lost_text(const Notice& notice) {
  return std::to_string(notice.tasks_lost) + (notice.tasks_lost == 1 ? " task" : " tasks") +
         " in the background ended with its agent, undone";
}

std::string pause_text(const Notice& notice) {
  if (notice.reason == domain::EndReason::usage_limit) {
    return "the provider's limit of use is reached, and prompts wait until " +
           base::time_text({notice.until.us / 1'000'000 * 1'000'000});
  }
  if (notice.reason == domain::EndReason::start_failed) {
    return "its agent could not be started, and prompts wait";
  }
  if (!is_behind_cap(notice)) return "a turn failed, and prompts wait";
  const bool is_for_day = notice.reason == domain::EndReason::daily_budget;
  return spent_text(notice.reason) + ", and prompts wait" + (is_for_day ? " until 00:00 UTC" : "");
}

}  // namespace

std::string chat_text(const Notice& notice) {
  std::string text;
  switch (notice.requested.kind) {
    case NotificationKind::waiting:
      text = waiting_text(notice);
      break;
    case NotificationKind::stuck:
      text = "⚠️ Session " + named(notice) + " is stuck: its agent " + stuck_text(notice);
      break;
    case NotificationKind::paused:
      text = "⏸️ Session " + named(notice) + " is paused: " + pause_text(notice);
      if (!is_behind_cap(notice)) add_line(text, "⚠️ ", notice.error);
      break;
    case NotificationKind::budget:
      text = (notice.is_completed ? "⚠️ Session completed over budget — "
                                  : "⛔ Session limit reached — ") +
             named(notice) + " (" + base::duration_text(notice.lived) + ")";
      add_line(text, "📁 ", notice.workdir);
      if (notice.reason != domain::EndReason::none && notice.reason != domain::EndReason::budget) {
        add_line(text, "⚠️ ", base::enum_name(notice.reason));
      }
      add_last_words(text, notice);
      break;
    case NotificationKind::completed:
      text = is_answer(notice) ? answer_text(notice) : ended_text(notice, "✅");
      break;
    case NotificationKind::failed:
      text = ended_text(notice, "❌");
      break;
    case NotificationKind::killed:
      text = ended_text(notice, "⛔");
      break;
    case NotificationKind::cut_off:
      text = "⚠️ Internal error. Session " + named(notice) +
             " lost its agent with a turn, which is not "
             "tried again";
      break;
    case NotificationKind::turn_failed:
      text = "❌ Session " + named(notice) + " waits for a prompt: a turn failed";
      add_line(text, "⚠️ ", notice.error);
      break;
    case NotificationKind::expired:
      text = "⌛ Session " + named(notice) + " dropped a prompt that it could not start in time";
      break;
    case NotificationKind::tasks_lost:
      text = "⚠️ Session " + named(notice) + ": " + lost_text(notice);
      break;
    case NotificationKind::long_run:
      text =
          "⏱️ Session " + named(notice) + " running for " + base::duration_text(notice.lived);
      break;
    case NotificationKind::responded:
      text = "↩️ [" + notice.name + "] Responded:\n" + notice.last;
      break;
    case NotificationKind::all_killed:
      text = title_text(notice);
      break;
    case NotificationKind::asks:
      text = asks_text(notice);
      break;
    case NotificationKind::unanswered:
      text = "⚠️ " + unanswered_text(notice);
      break;
  }
  add_line(text, "", notice.fault);
  return text;
}

std::string title_text(const Notice& notice) {
  switch (notice.requested.kind) {
    case NotificationKind::waiting:
      return "Session waits for input: " + named(notice);
    case NotificationKind::stuck:
      return "Session is stuck: " + named(notice);
    case NotificationKind::paused:
      return "Session is paused: " + named(notice);
    case NotificationKind::budget:
      return "Session limit reached: " + named(notice);
    case NotificationKind::completed:
    case NotificationKind::failed:
    case NotificationKind::killed:
      if (is_stopped(notice)) return "Session was stopped with the server: " + named(notice);
      return "Session " + std::string(base::enum_name(notice.requested.kind)) + ": " +
             named(notice);
    case NotificationKind::cut_off:
      return "Session lost its agent with a turn: " + named(notice);
    case NotificationKind::turn_failed:
      return "Session failed a turn: " + named(notice);
    case NotificationKind::expired:
      return "Session dropped a prompt: " + named(notice);
    case NotificationKind::tasks_lost:
      return "Session lost tasks in the background: " + named(notice);
    case NotificationKind::long_run:
      return "Session still runs: " + named(notice);
    case NotificationKind::responded:
      return "Session was answered: " + named(notice);
    case NotificationKind::all_killed:
      return "All sessions were killed: " + notice.requested.alias;
    case NotificationKind::asks:
      return "Session asks: " + named(notice);
    case NotificationKind::unanswered:
      return unanswered_text(notice);
  }
  return named(notice);
}

std::string system_text(const Notice& notice) {
  std::string text = title_text(notice);
  if (!notice.requested.session.is_set()) return text;
  add_line(text, "Type: ", notice.is_multi_turn ? "multi-turn" : "single-turn");
  add_line(text, "Status: ", base::enum_name(notice.requested.kind));
  if (notice.requested.kind == domain::NotificationKind::paused) {
    add_line(text, "Reason: ", pause_text(notice));
  }
  if (notice.tasks_lost > 0) add_line(text, "Lost: ", lost_text(notice));
  if (!is_behind_cap(notice)) add_line(text, "Error: ", notice.error);
  add_line(text, "Caution: ", caution_text(notice));
  if (!notice.last.empty()) add_line(text, "\nLast output:\n", notice.last);
  add_line(text, "", notice.fault);
  add_line(text, "\nFull output: steno output ", notice.requested.alias);
  if (notice.requested.kind == NotificationKind::asks) {
    add_line(text, "\nAsks: ", notice.asked);
    add_line(text, "Why: ", notice.why);
    const bool is_question = notice.ask_kind == domain::AskKind::question;
    add_line(text, "Answer: ",
             (is_question ? "steno answer " : "steno approve ") + ask_reference(notice) +
                 (is_question ? "" : ", or steno deny " + ask_reference(notice)));
  }
  if (notice.requested.kind == NotificationKind::waiting ||
      notice.requested.kind == NotificationKind::turn_failed) {
    add_line(text, "", "Reply: steno send " + notice.requested.alias + " \"…\"");
  }
  return text;
}

std::string parent_text(const Notice& notice) {
  const domain::NotificationKind kind = notice.requested.kind;
  const std::string& alias = notice.requested.alias;
  std::string text = "Subagent ";
  text += notice.given_name.empty() ? alias : notice.given_name + " (" + alias + ")";
  const bool is_lost = is_of_restart(notice.reason);
  const bool is_ended = kind == NotificationKind::failed || kind == NotificationKind::killed;
  if (kind == NotificationKind::cut_off || (is_ended && is_lost)) {
    text += " failed: Restored with pending work.";
  } else if (kind == NotificationKind::waiting) {
    text += " waits for a prompt.";
  } else if (kind == NotificationKind::paused) {
    text += " is paused: " + pause_text(notice) + ".";
  } else if (kind == NotificationKind::turn_failed) {
    text += " failed a turn, and waits for a prompt.";
  } else if (kind == NotificationKind::asks) {
    text += " waits for an answer of a person (steno approvals).";
  } else if (kind == NotificationKind::tasks_lost) {
    text += " goes on: " + lost_text(notice) + ".";
  } else if (kind == NotificationKind::expired) {
    text += " dropped a prompt that it could not start in time.";
  } else if (kind == NotificationKind::budget) {
    const bool is_live = notice.reason == domain::EndReason::none;
    text += is_live ? " takes no further prompt: " : " failed: ";
    text += spent_text(notice.reason) + ".";
  } else {
    text += " " + std::string(base::enum_name(kind)) + ".";
  }
  if (notice.requested.denied > 0) {
    add_line(text, "", denied_text(notice.requested.denied, notice.requested.denied_tools) + ".");
  }
  add_line(text, "Its words: steno output ", alias);
  if (kind == NotificationKind::waiting || kind == NotificationKind::turn_failed) {
    add_line(text, "If there is more for it to do: ", "steno send " + alias + " \"…\"");
  }
  return text;
}

namespace {

// Returns why the task failed.
std::string failure_text(const Notice& notice) {
  if (!notice.requested.session.is_set()) return notice.requested.unanswered->why;
  if (!notice.error.empty()) return notice.error;
  if (notice.reason == domain::EndReason::user) return "somebody ended it";
  if (notice.reason == domain::EndReason::stopped) return "Steno was stopped";
  std::string words(base::enum_name(notice.reason));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

std::string announcement_text(const Notice& notice) {
  domain::SubagentRun run;
  const bool is_of_session = notice.requested.session.is_set();
  run.child = is_of_session ? notice.conversation : notice.requested.unanswered->conversation;
  run.label = is_of_session ? notice.given_name : run.child;
  run.task = notice.prompt;
  run.ended = notice.at;
  run.started = notice.at + -notice.lived;
  const bool is_late = notice.reason == domain::EndReason::run_timeout;
  run.outcome = notice.is_completed ? domain::SubagentOutcome::ok
                : is_late           ? domain::SubagentOutcome::timeout
                                    : domain::SubagentOutcome::error;
  run.error = failure_text(notice);
  domain::RunFigures figures;
  if (notice.requested.cost.value > 0) figures.cost = "$" + base::usd_text(notice.requested.cost);
  const std::string& words = notice.last.empty() ? notice.fault : notice.last;
  // An agent can have written any bytes.
  return safe_text(domain::announce_text(run, words, figures));
}

std::map<std::string, std::string> template_values(const Notice& notice, std::string text) {
  auto values = route_values(notice.requested.channel);
  values["text"] = std::move(text);
  values["title"] = title_text(notice);
  values["kind"] = base::enum_name(notice.requested.kind);
  values["session"] = notice.requested.session.text();
  values["id"] = notice.requested.alias;
  values["name"] = notice.name;
  values["agent"] = notice.requested.agent;
  values["workdir"] = notice.workdir;
  return values;
}

std::string json_text(const Notice& notice, const std::string& words) {
  const domain::NotificationRequested& requested = notice.requested;
  const nlohmann::ordered_json body{
      {"id", notice.notification.value},
      {"kind", base::enum_name(requested.kind)},
      {"title", title_text(notice)},
      {"text", words.empty() ? chat_text(notice) : words},
      {"session", requested.session.text()},
      {"alias", requested.alias},
      {"name", notice.name},
      {"agent", requested.agent},
      {"engine", notice.engine},
      {"workdir", notice.workdir},
      {"ask", notice.ask},
      {"ask_kind", notice.ask == 0 ? "" : base::enum_name(notice.ask_kind)},
      {"asked", notice.asked},
      {"risks", notice.risks},
      {"channel", requested.channel},
      {"conversation", requested.kind == NotificationKind::unanswered
                           ? requested.unanswered->conversation
                           : notice.conversation},
      {"prompt", notice.prompt},
      {"last_output", notice.last},
      {"error", notice.error},
      {"end", notice.end},
      {"denied", requested.denied},
      {"denied_tools", *requested.denied_tools},
      {"reason", base::enum_name(notice.reason)},
      {"multi_turn", notice.is_multi_turn},
      {"time", base::time_text(notice.at)},
      {"cost_usd", static_cast<double>(requested.cost.value) / 1e9},
      {"lived_s", std::chrono::duration_cast<std::chrono::seconds>(notice.lived).count()}};
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

// How soon people want to hear of it: in the words of the gateway's notifications.
const char* priority_of(domain::NotificationKind kind) {
  using domain::NotificationKind;
  switch (kind) {
    case NotificationKind::asks:
    case NotificationKind::stuck:
    case NotificationKind::budget:
    case NotificationKind::failed:
    case NotificationKind::paused:
    case NotificationKind::turn_failed:
    case NotificationKind::cut_off:
      return "timeSensitive";
    case NotificationKind::waiting:
    case NotificationKind::long_run:
    case NotificationKind::responded:
      return "passive";
    default:
      return "active";
  }
}

}  // namespace

std::string news_hook_text(const Notice& notice) {
  const nlohmann::ordered_json body{{"message", chat_text(notice)},
                                    {"notification_type", base::enum_name(notice.requested.kind)},
                                    {"notification",
                                     {{"title", title_text(notice)},
                                      {"body", chat_text(notice)},
                                      {"priority", priority_of(notice.requested.kind)},
                                      {"delivery", base::enum_name(notice.requested.target)}}},
                                    {"metadata",
                                     {{"source", base::enum_name(notice.requested.kind)},
                                      {"channel", notice.requested.channel}}}};
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string end_hook_text(const Notice& notice) {
  const nlohmann::ordered_json body{
      {"reason", base::enum_name(notice.reason)},
      {"session",
       {{"status", base::enum_name(notice.requested.kind)},
        {"duration", notice.lived.count() / 1000},
        {"costUsd", static_cast<double>(notice.requested.cost.value) / 1e9}}},
      {"prompt", notice.prompt},
      {"last_assistant_message", notice.last}};
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace workers
