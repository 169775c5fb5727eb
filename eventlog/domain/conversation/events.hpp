// Facts of a conversation: what it is, the messages that came to it, what became of each, and the
// sessions in which its runs were worked on.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/content.hpp"
#include "eventlog/domain/conversation/conversation_run.hpp"
#include "eventlog/domain/conversation/delivery.hpp"
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/conversation/subagent_run.hpp"
#include "eventlog/domain/prompt_files.hpp"

namespace domain {

// Where a conversation came from. Source: R105.
struct ConversationOrigin {
  std::string label;     // of the place, for people
  std::string provider;  // such as "telegram"
  std::string surface;
  std::string from;  // who wrote first

  bool operator==(const ConversationOrigin&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("label", &ConversationOrigin::label);
    visit("provider", &ConversationOrigin::provider);
    visit("surface", &ConversationOrigin::surface);
    visit("from", &ConversationOrigin::from);
  }
};

struct ConversationOpened {
  static constexpr std::string_view kType = "ConversationOpened";
  std::string key;                 // canonical (session_key.hpp)
  base::Sparse<SessionSpec> spec;  // of the sessions that are opened for it
  base::Sparse<ConversationOrigin> origin;
  std::string parent{};  // the key of the conversation that has it opened; empty: none has
  SessionId caller{};    // whose agent has it opened, and pays for its sessions; unset: none has
  RunCleanup cleanup = RunCleanup::keep;  // once `parent` has heard how its task ended

  bool operator==(const ConversationOpened&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("key", &ConversationOpened::key);
    visit("spec", &ConversationOpened::spec);
    visit("origin", &ConversationOpened::origin);
    visit("parent", &ConversationOpened::parent);
    visit("caller", &ConversationOpened::caller);
    visit("cleanup", &ConversationOpened::cleanup);
  }
};

struct EntryChanged {
  static constexpr std::string_view kType = "EntryChanged";
  EntryFields set;                   // in their canonical form
  std::vector<std::string> cleared;  // names of fields that are not there any more

  bool operator==(const EntryChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("set", &EntryChanged::set);
    visit("cleared", &EntryChanged::cleared);
  }
};

// A file goes with the message of the next MessageReceived, which names its files in the order of
// these events. All are of one decision.
// Content: the file's bytes.
struct MessageFileAttached {
  static constexpr std::string_view kType = "MessageFileAttached";

  bool operator==(const MessageFileAttached&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// Content: the text, as the agent is to be given it. It can be empty beside files.
struct MessageReceived {
  static constexpr std::string_view kType = "MessageReceived";
  std::string sender;  // as its channel knows them; empty: nobody said
  std::string id;      // the channel's own, of the message; empty: none
  base::Sparse<DeliveryContext> route;
  std::int64_t bytes = 0;  // of the text
  Time start_before{};     // wall time from which on it is not begun any more; 0: none
  QueueSettings queue{};   // as they hold for it
  base::Sparse<std::vector<FileFacts>> files{};  // that go with it
  bool is_alone = false;  // it is given in a turn of its own: an agent's command, such as /compact

  bool operator==(const MessageReceived&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("sender", &MessageReceived::sender);
    visit("id", &MessageReceived::id);
    visit("route", &MessageReceived::route);
    visit("bytes", &MessageReceived::bytes);
    visit("start_before", &MessageReceived::start_before);
    visit("queue", &MessageReceived::queue);
    visit("files", &MessageReceived::files);
    visit("alone", &MessageReceived::is_alone);
  }
};

// A message that asked something of the conversation itself, and left nothing for the agent.
struct DirectiveReceived {
  static constexpr std::string_view kType = "DirectiveReceived";
  std::string directive;  // such as "/new"
  std::string sender;     // as MessageReceived has it, and so the next two
  std::string id;
  base::Sparse<DeliveryContext> route;

  bool operator==(const DirectiveReceived&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("directive", &DirectiveReceived::directive);
    visit("sender", &DirectiveReceived::sender);
    visit("id", &DirectiveReceived::id);
    visit("route", &DirectiveReceived::route);
  }
};

// The agent was given the message, which waited, within the run under way.
struct MessageSteered {
  static constexpr std::string_view kType = "MessageSteered";
  TurnId run;
  Position message;
  bool is_kept = false;  // it waits all the same, for a run of its own

  bool operator==(const MessageSteered&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &MessageSteered::run);
    visit("message", &MessageSteered::message);
    visit("kept", &MessageSteered::is_kept);
  }
};

enum class MessageEnd : std::uint8_t {
  dropped,  // too many waited
  expired,  // it was not begun in time
  stopped,  // somebody stopped the conversation
  deleted,  // the conversation was deleted
  refused,  // no session took it
};

// The messages are given to no agent. Whoever sent them is told.
struct MessagesEnded {
  static constexpr std::string_view kType = "MessagesEnded";
  std::vector<Position> messages;
  MessageEnd end = MessageEnd::dropped;
  std::int64_t told_max = 0;  // of `dropped`: the agent is told of so many, the newest
  std::string error{};        // of `refused`: why

  bool operator==(const MessagesEnded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("messages", &MessagesEnded::messages);
    visit("end", &MessagesEnded::end);
    visit("told_max", &MessagesEnded::told_max);
    visit("error", &MessagesEnded::error);
  }
};

struct ConversationRunBegun {
  static constexpr std::string_view kType = "ConversationRunBegun";
  base::Sparse<ConversationRun> run;
  bool is_mixed = false;  // as NextTurn has it

  bool operator==(const ConversationRunBegun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRunBegun::run);
    visit("mixed", &ConversationRunBegun::is_mixed);
  }
};

// The session has the run's prompt.
struct ConversationRunTaken {
  static constexpr std::string_view kType = "ConversationRunTaken";
  TurnId run;

  bool operator==(const ConversationRunTaken&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRunTaken::run);
  }
};

// No session took the run's prompt, and its messages wait again, before all others.
struct ConversationRunReturned {
  static constexpr std::string_view kType = "ConversationRunReturned";
  TurnId run;
  std::string why;
  Time again_at;                 // log time before which no session is asked again; 0: at once
  bool is_session_lost = false;  // the next run goes on with no session

  bool operator==(const ConversationRunReturned&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRunReturned::run);
    visit("why", &ConversationRunReturned::why);
    visit("again_at", &ConversationRunReturned::again_at);
    visit("session_lost", &ConversationRunReturned::is_session_lost);
  }
};

struct ConversationRunInterruptRequested {
  static constexpr std::string_view kType = "ConversationRunInterruptRequested";
  TurnId run;

  bool operator==(const ConversationRunInterruptRequested&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRunInterruptRequested::run);
  }
};

// The agent works on the run's turn.
struct ConversationRunStarted {
  static constexpr std::string_view kType = "ConversationRunStarted";
  TurnId run;

  bool operator==(const ConversationRunStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRunStarted::run);
  }
};

enum class RunEnd : std::uint8_t { finished, failed, interrupted };

// The run's turn is over, and with it all its messages.
struct ConversationRunEnded {
  static constexpr std::string_view kType = "ConversationRunEnded";
  TurnId run;
  RunEnd outcome = RunEnd::finished;

  bool operator==(const ConversationRunEnded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRunEnded::run);
    visit("outcome", &ConversationRunEnded::outcome);
  }
};

// Whoever has given the subagent its task has been stopped, and does not wait for its end any more.
struct TaskWithdrawn {
  static constexpr std::string_view kType = "TaskWithdrawn";

  bool operator==(const TaskWithdrawn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

enum class ResetReason : std::uint8_t { user, trigger, daily, idle };

// The conversation leaves its session: the next run opens another one, which knows nothing of it.
struct ConversationReset {
  static constexpr std::string_view kType = "ConversationReset";
  ResetReason reason = ResetReason::user;
  SessionId session;  // that it leaves; unset: it had none

  bool operator==(const ConversationReset&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("reason", &ConversationReset::reason);
    visit("session", &ConversationReset::session);
  }
};

// The last reset is undone: the next run goes on with that session.
struct ResetUndone {
  static constexpr std::string_view kType = "ResetUndone";
  SessionId session;

  bool operator==(const ResetUndone&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &ResetUndone::session);
  }
};

// A client's command had no effect. It is on the record so that a retry finds it.
struct ConversationUnchanged {
  static constexpr std::string_view kType = "ConversationUnchanged";
  std::string command;

  bool operator==(const ConversationUnchanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("command", &ConversationUnchanged::command);
  }
};

// Nobody finds it any more under its key. A message to that key begins it anew.
struct ConversationDeleted {
  static constexpr std::string_view kType = "ConversationDeleted";

  bool operator==(const ConversationDeleted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

using ConversationEvents = base::Joined<
    base::Types<ConversationOpened, EntryChanged, MessageFileAttached, MessageReceived,
                DirectiveReceived, MessageSteered, MessagesEnded, ConversationRunBegun,
                ConversationRunTaken, ConversationRunStarted, ConversationRunReturned,
                ConversationRunInterruptRequested, ConversationRunEnded, ConversationReset,
                ResetUndone, ConversationUnchanged, ConversationDeleted, TaskWithdrawn>,
    ContentEvents>;

}  // namespace domain

template <>
struct base::EnumNames<domain::MessageEnd> {
  static constexpr std::string_view kNames[] = {"dropped", "expired", "stopped", "deleted",
                                                "refused"};
};
template <>
struct base::EnumNames<domain::RunEnd> {
  static constexpr std::string_view kNames[] = {"finished", "failed", "interrupted"};
};
template <>
struct base::EnumNames<domain::ResetReason> {
  static constexpr std::string_view kNames[] = {"user", "trigger", "daily", "idle"};
};
