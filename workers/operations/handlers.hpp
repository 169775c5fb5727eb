// The functions that run operations, and their arguments. Each does its work over the caller's
// server and returns a value; answer_json and answer_text show it. A caller and its arguments
// outlive the task.
#pragma once

#include "eventlog/domain/conversation/subagent_run.hpp"
#include "workers/operations/results.hpp"

namespace workers {

// Lines of one answer, so that it fits a message.
constexpr std::int64_t kOutputLinesMax = 10'000;

// Events of one answer, and how long it waits for one.
constexpr std::int64_t kEventsMax = 1'000;
constexpr std::int64_t kEventsWaitMsMax = 2'000;

// Seconds for a message's begin, and for its answer.
constexpr std::int64_t kStartWithinMax = 30 * 24 * 3'600;
constexpr std::int64_t kHistoryMax = 1'000;
constexpr std::int64_t kAnswerWaitMax = 600;
// Seconds for a subagent's task.
constexpr std::int64_t kTaskTimeMax = 7 * 24 * 3'600;
constexpr std::int64_t kActiveMinutesMax = 52'704'000;  // a hundred years

Task<Outcome<Launched>> launch(const Caller& caller, const LaunchArguments& arguments);

struct GoOnArguments {
  bool lists = false;  // what can be resumed
  bool is_fork = false;
  std::string session;
  std::string prompt;  // empty: kResumePrompt
};
Task<Outcome<Resumed>> go_on(const Caller& caller, const GoOnArguments& arguments);

struct RespondArguments {
  bool is_interrupting = false;
  std::string session;
  std::string message;
  std::vector<SaidFile> files{};
};
Task<Outcome<Responded>> respond(const Caller& caller, const RespondArguments& arguments);

enum class StatusFilter { all, starting, running, completed, failed, killed };

struct SessionsArguments {
  StatusFilter status = StatusFilter::all;
  std::int64_t limit = 50;
  std::int64_t before = 0;  // only sessions opened before this position; 0: all
};
Task<Outcome<SessionPage>> list_sessions(const Caller& caller, const SessionsArguments& arguments);

struct KillOneArguments {
  std::string session;
};
Task<Outcome<KilledSession>> kill_one(const Caller& caller, const KillOneArguments& arguments);

struct ShownArguments {
  std::string session;
  std::int64_t lines = 50;
  bool is_full = false;
  std::int64_t skipped = 0;  // of the last lines, which an earlier answer had
};
Task<Outcome<LastOutput>> show_output(const Caller& caller, const ShownArguments& arguments);

struct InterruptArguments {
  std::string session;
};
Task<Outcome<InterruptedTurn>> interrupt_one(const Caller& caller,
                                             const InterruptArguments& arguments);

struct SetArguments {
  std::string session;
  domain::SessionSpec settings;   // has the values of those that are said
  std::vector<std::string> said;  // their keys
};
Task<Outcome<ChangedSession>> set(const Caller& caller, const SetArguments& arguments);

struct RenameArguments {
  std::string session;
  std::string name;
};
Task<Outcome<RenamedSession>> rename(const Caller& caller, const RenameArguments& arguments);

struct CommandsArguments {
  std::string session;
};
Task<Outcome<OfferedCommands>> list_commands(const Caller& caller,
                                             const CommandsArguments& arguments);

struct ApprovalsArguments {
  std::string session;  // empty: all sessions
};
Task<Outcome<AskPage>> list_approvals(const Caller& caller, const ApprovalsArguments& arguments);

// Which further calls of the kind an approval is for.
enum class ApprovalFor { this_call, session, always };

struct ApproveArguments {
  std::string session;  // "REF", or "REF#NUMBER" of several requests
  ApprovalFor further = ApprovalFor::this_call;
  std::string input;  // JSON; empty: as it was asked
};
Task<Outcome<AnsweredAsk>> approve(const Caller& caller, const ApproveArguments& arguments);

struct DenyArguments {
  std::string session;
  std::string reason;  // empty: none is given
};
Task<Outcome<AnsweredAsk>> deny(const Caller& caller, const DenyArguments& arguments);

struct AnswerArguments {
  std::string session;
  std::string answer;
};
Task<Outcome<AnsweredAsk>> answer(const Caller& caller, const AnswerArguments& arguments);

struct EventsArguments {
  std::string session;
  std::int64_t after = 0;  // a position; 0: from the session's first event on
  std::int64_t limit = 100;
  std::int64_t wait_ms = 0;  // for a first event
};
Task<Outcome<EventPage>> list_events(const Caller& caller, const EventsArguments& arguments);

struct WatchedArguments {
  std::string session;     // background: empty: all that the channel watches
  std::int64_t lines = 0;  // of the output that come with the answer
  std::string channel;     // empty: the caller's
};
Task<Outcome<InForeground>> to_foreground(const Caller& caller, const WatchedArguments& arguments);
Task<Outcome<InBackground>> to_background(const Caller& caller, const WatchedArguments& arguments);

// A message as a chat bridge has it, or another program.
struct SendArguments {
  std::string key;  // empty: it follows from the place
  std::string message;
  std::string channel;
  std::string account;
  std::string peer;  // the person, the group or the channel that it comes from
  domain::ChatType peer_kind = domain::ChatType::dm;
  std::string guild;
  std::string team;
  std::string thread;
  std::string to;  // where the answer goes to; empty: to the peer
  std::string sender;
  std::string id;
  bool is_plain = false;          // it is no command of the conversation
  std::int64_t start_within = 0;  // seconds; 0: whenever
  std::int64_t wait = 0;          // seconds, for the answer
  std::vector<SaidFile> files{};  // that go with it
};
Task<Outcome<SentMessage>> send_message(const Caller& caller, const SendArguments& arguments);

struct TaskArguments {
  std::string task;
  std::string parent;  // session key of who hears how it ended; empty: the own conversation
  std::string label;
  std::string agent;  // empty: the parent's
  std::string model;  // empty: the agent's own
  domain::RunCleanup cleanup = domain::RunCleanup::keep;
  std::int64_t timeout = domain::kSubagentTimeout / std::chrono::seconds(1);  // in s; 0: none
};
Task<Outcome<StartedTask>> start_task(const Caller& caller, const TaskArguments& arguments);

struct ConversationsArguments {
  std::int64_t limit = 50;
  std::int64_t active_minutes = 0;  // changed since so long; 0: ever
  std::string agent;                // empty: the caller's
  bool is_of_all = false;           // of all agents
  std::vector<std::string> kinds;
  std::string label;
  std::string spawned_by;
  std::string search;
  bool with_titles = false;
  bool with_last = false;  // words
  std::string before;      // as an answer with more to come names it
};
Task<Outcome<ConversationPage>> list_conversations(const Caller& caller,
                                                   const ConversationsArguments& arguments);

// One of these names a conversation.
struct ConversationArguments {
  std::string key;
  std::string session;  // id of the session of its last run
  std::string label;
};
Task<Outcome<OneConversation>> show_conversation(const Caller& caller,
                                                 const ConversationArguments& arguments);

struct HistoryArguments {
  std::string key;
  std::int64_t limit = 200;
  std::int64_t before = 0;  // position; 0: none
  std::int64_t after = 0;
  bool with_tools = false;
};
Task<Outcome<ConversationHistory>> show_history(const Caller& caller,
                                                const HistoryArguments& arguments);

struct PreviewArguments {
  std::vector<std::string> keys;
  std::int64_t limit = 12;
  std::int64_t characters = 240;
};
Task<Outcome<ConversationPreviews>> preview_conversations(const Caller& caller,
                                                          const PreviewArguments& arguments);

struct PatchArguments {
  std::string key;
  domain::EntryFields set;
  std::vector<std::string> cleared;
};
Task<Outcome<OneConversation>> patch_conversation(const Caller& caller,
                                                  const PatchArguments& arguments);

struct ResetArguments {
  std::string key;
  bool is_undo = false;
};
Task<Outcome<OneConversation>> reset_conversation(const Caller& caller,
                                                  const ResetArguments& arguments);

struct KeyArguments {
  std::string key;
};
Task<Outcome<OneConversation>> stop_conversation(const Caller& caller,
                                                 const KeyArguments& arguments);
// Has the agent make its context smaller, in a turn of its own.
Task<Outcome<OneConversation>> compact_conversation(const Caller& caller,
                                                    const KeyArguments& arguments);
Task<Outcome<DeletedConversation>> delete_conversation(const Caller& caller,
                                                       const KeyArguments& arguments);

struct NoneArguments {};
Task<Outcome<SessionTotals>> report_stats(const Caller& caller, const NoneArguments& arguments);

}  // namespace workers

template <>
struct base::EnumNames<workers::ApprovalFor> {
  static constexpr std::string_view kNames[] = {"this_call", "session", "always"};
};
template <>
struct base::EnumNames<workers::StatusFilter> {
  static constexpr std::string_view kNames[] = {"all",       "starting", "running",
                                                "completed", "failed",   "killed"};
};
