// The results of operations, as values. answer_json and answer_text show them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eventlog/domain/conversation/transcript_preview.hpp"
#include "projections/views/metrics.hpp"
#include "workers/operations/conversing.hpp"
#include "workers/operations/ending.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/launching.hpp"
#include "workers/operations/transcript_pages.hpp"

namespace workers {

// The newest sessions that can be gone on with.
struct ResumableSessions {
  SessionPage page;
};
using Resumed = std::variant<ResumableSessions, Launched>;

struct SentPrompt {
  projections::SessionRow row;  // as it was before
  std::string prompt;
  std::vector<domain::FileFacts> files{};
  bool is_interrupting = false;
  CommandReplyBody reply;
};
// A user without a live session gets one.
using Responded = std::variant<SentPrompt, Launched>;

struct KilledSession {
  projections::SessionRow row;  // as it was before
  Killed killed;
};

struct InterruptedTurn {
  projections::SessionRow row;  // as it was before
  CommandReplyBody reply;
};

// What came of other settings at the session's agent.
enum class Heard {
  not_yet,        // it has not answered in time
  taken,          // it has them
  refused,        // it has them from its next process on
  at_next_start,  // no agent runs that needs to be told
};

struct ChangedSession {
  projections::SessionRow row;    // as it was before
  std::vector<std::string> keys;  // of the settings
  domain::SessionSpec spec;       // has their values
  Heard heard = Heard::not_yet;
  std::string refusal;  // the agent's words
};

struct RenamedSession {
  projections::SessionRow row;  // as it was before
  CommandReplyBody reply;       // has its name
};

struct OfferedCommands {
  projections::SessionRow row;
  std::vector<std::string> commands;  // without their slash
};

// What agents wait for.
struct AskPage {
  base::Time as_of;  // wall time
  std::vector<AskShown> asks;
};

struct AnsweredAsk {
  AskShown ask;
  domain::AskVerdict verdict = domain::AskVerdict::none;
  std::string said;                    // the reason, or the answers
  std::string rule{};                  // pattern that is allowed from now on; empty: none
  std::vector<std::string> missing{};  // fields of the call's input that the other input lacks
};

// The last lines of a session's output.
struct LastOutput {
  projections::SessionRow row;
  base::Time as_of;  // wall time
  std::deque<std::string> lines;
  bool is_cut = false;     // there were earlier lines, or longer ones
  bool has_any = false;    // there is output, if perhaps before these lines
  std::string last_words;  // of the agent, to the last prompt
};

struct EventPage {
  projections::SessionRow row;
  std::vector<std::string> events;  // as JSON
  base::Position through;           // of the last one, or of what was asked after
};

struct InForeground {
  projections::SessionRow row;
  std::string channel;
  std::optional<LastOutput> output;  // none: not asked for
};

struct InBackground {
  std::string channel;
  std::vector<projections::SessionRow> rows;
};

struct SessionTotals {
  projections::MetricsReport report;
  std::string dearest_prompt;  // of the session that cost most
};

struct SentMessage {
  NamedConversation conversation;
  ConversationReplyBody reply;
  MessageOutcome outcome;
  bool is_waited_for = false;
};

// Returns it as JSON on one line, in ASCII.
std::string sent_json(const SentMessage& sent);

// A task that a conversation has given to a subagent.
struct StartedTask {
  NamedConversation subagent;
  std::string parent;  // session key of that conversation
  ConversationReplyBody reply;
};
std::string started_json(const StartedTask& started);

struct ConversationPage {
  std::vector<projections::ConversationShown> conversations;
  base::Time as_of;  // wall time
  bool has_more = false;
  std::vector<std::string> last{};  // words of each; none: they were not asked for
};

struct OneConversation {
  projections::ConversationShown shown;
  base::Time as_of;  // wall time
};

struct ConversationHistory {
  NamedConversation conversation;
  base::SessionId session;  // of the last run; unset: none
  TranscriptPage page;
};

enum class PreviewStatus : std::uint8_t { ok, empty, missing, error };

struct ConversationPreview {
  std::string key;  // as it was said
  PreviewStatus status = PreviewStatus::ok;
  std::vector<domain::PreviewItem> items{};
  std::string error{};
};

struct ConversationPreviews {
  std::vector<ConversationPreview> previews;
  base::Time as_of;  // wall time
};

struct DeletedConversation {
  std::string key;
};

}  // namespace workers

template <>
struct base::EnumNames<workers::PreviewStatus> {
  static constexpr std::string_view kNames[] = {"ok", "empty", "missing", "error"};
};
template <>
struct base::EnumNames<workers::Heard> {
  static constexpr std::string_view kNames[] = {"not_yet", "taken", "refused", "at_next_start"};
};
