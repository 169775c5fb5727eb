// Requests about a conversation. Clients name it by its session key in the canonical form, which
// canonical_key() makes.
#pragma once

#include <variant>

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/conversation/state.hpp"
#include "eventlog/domain/conversation/subagent_run.hpp"

namespace domain {

// ---- from clients ----

// A message to the conversation, which begins with the first one. It is given to an agent, in its
// turn, or it ends in another way that is on the record. A text that is a command of the
// conversation is carried out: /new, /reset, /clear, /stop and its words, /queue, /send.
struct ReceiveMessage {
  static constexpr std::string_view kType = "ReceiveMessage";
  static constexpr bool kOpens = true;
  static constexpr bool kIsLarge = true;
  std::string session_key;
  SessionSpec spec;  // of sessions that are opened for it; kept from the first message on
  std::string text;
  std::string sender{};         // as its channel knows them
  std::string id{};             // the channel's own, of the message
  DeliveryContext route{};      // where it came from, and answers go to
  Time start_before{};          // as MessageReceived has it
  bool is_authorised = true;    // its sender can use the conversation's commands
  ConversationOrigin origin{};  // of the first message
  EntryFields entry{};          // facts of the place, such as chatType and subject
  PromptFiles files{};          // that go with the message, whose text can then be empty
  // Session key of the conversation that gives a subagent its task. It hears how the task ended.
  // Only the first message to a subagent has one.
  std::string parent{};
  // A subagent's task has ended. It interrupts nothing, and its answer goes to the last route.
  bool is_announcement = false;
  RunCleanup cleanup = RunCleanup::keep;  // of a task
  std::string deletes{};  // of an announcement: session key of the subagent that is to be deleted
  // The session whose agent sends the message. It pays for the conversation that this one opens.
  SessionId caller{};

  std::string_view key() const { return session_key; }
  bool operator==(const ReceiveMessage&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session_key", &ReceiveMessage::session_key);
    visit("spec", &ReceiveMessage::spec);
    visit("text", &ReceiveMessage::text);
    visit("sender", &ReceiveMessage::sender);
    visit("id", &ReceiveMessage::id);
    visit("route", &ReceiveMessage::route);
    visit("start_before", &ReceiveMessage::start_before);
    visit("authorised", &ReceiveMessage::is_authorised);
    visit("origin", &ReceiveMessage::origin);
    visit("entry", &ReceiveMessage::entry);
    visit("files", &ReceiveMessage::files);
    visit("parent", &ReceiveMessage::parent);
    visit("announcement", &ReceiveMessage::is_announcement);
    visit("cleanup", &ReceiveMessage::cleanup);
    visit("deletes", &ReceiveMessage::deletes);
    visit("caller", &ReceiveMessage::caller);
  }
};

// Change its settings.
struct PatchConversation {
  static constexpr std::string_view kType = "PatchConversation";
  std::string session_key;
  EntryFields set;
  std::vector<std::string> cleared;

  std::string_view key() const { return session_key; }
  bool operator==(const PatchConversation&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session_key", &PatchConversation::session_key);
    visit("set", &PatchConversation::set);
    visit("cleared", &PatchConversation::cleared);
  }
};

// Leave its session: the next message begins another one. With `undo`: go back to the one that the
// last reset has left.
struct ResetConversation {
  static constexpr std::string_view kType = "ResetConversation";
  std::string session_key;
  bool is_undo = false;

  std::string_view key() const { return session_key; }
  bool operator==(const ResetConversation&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session_key", &ResetConversation::session_key);
    visit("undo", &ResetConversation::is_undo);
  }
};

// Interrupt what runs, and give the agent nothing of what waits.
struct StopConversation {
  static constexpr std::string_view kType = "StopConversation";
  static constexpr CommandClass kClass = CommandClass::control;
  std::string session_key;

  std::string_view key() const { return session_key; }
  bool operator==(const StopConversation&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session_key", &StopConversation::session_key);
  }
};

// It must not run. Its sessions stay on the record.
struct DeleteConversation {
  static constexpr std::string_view kType = "DeleteConversation";
  std::string session_key;
  Time unchanged_since{};  // log time; one that has changed since is not deleted; 0: whatever was

  std::string_view key() const { return session_key; }
  bool operator==(const DeleteConversation&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session_key", &DeleteConversation::session_key);
    visit("unchanged_since", &DeleteConversation::unchanged_since);
  }
};

// Erase texts and files of its messages; without events, all of them. What waits cannot be erased.
// Files are events of their own, directly before their message.
struct EraseMessages {
  static constexpr std::string_view kType = "EraseMessages";
  std::string session_key;
  VersionRanges events;

  std::string_view key() const { return session_key; }
  bool operator==(const EraseMessages&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session_key", &EraseMessages::session_key);
    visit("events", &EraseMessages::events);
  }
};

// ---- from the server itself ----

// Begin the next run if it is its turn, and end messages that were not begun in time.
struct AdvanceConversation {
  static constexpr std::string_view kType = "AdvanceConversation";
  static constexpr CommandClass kClass = CommandClass::control;

  bool operator==(const AdvanceConversation&) const = default;
};

// No session took the run's prompt.
struct RefuseRun {
  static constexpr std::string_view kType = "RefuseRun";
  static constexpr CommandClass kClass = CommandClass::control;
  TurnId run;
  bool is_passing = false;       // another try can be taken
  bool is_session_lost = false;  // the session of the last run cannot be gone on with
  std::string why;

  bool operator==(const RefuseRun&) const = default;
};

// Its session does not take the message into the turn under way. It waits as others do.
struct SettleSteer {
  static constexpr std::string_view kType = "SettleSteer";
  static constexpr CommandClass kClass = CommandClass::control;
  Position message;

  bool operator==(const SettleSteer&) const = default;
};

using ConversationClientCommands = base::Types<ReceiveMessage, PatchConversation, ResetConversation,
                                               StopConversation, DeleteConversation, EraseMessages>;
using ConversationCommands =
    base::Joined<ConversationClientCommands,
                 base::Types<AdvanceConversation, RefuseRun, SettleSteer, CompleteErasure>>;
using ConversationCommand = base::SealedVariant<ConversationCommands>;

struct ConversationReply {
  std::int64_t waiting = 0;  // messages
  TurnId run;                // under way; unset: none
  SessionId session;         // of the last run; unset: none since the last reset
  std::int64_t messages = 0;
  std::int64_t resets = 0;
  Position message;  // that was received, now or before; 0: the command left the agent none

  bool operator==(const ConversationReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("waiting", &ConversationReply::waiting);
    visit("run", &ConversationReply::run);
    visit("session", &ConversationReply::session);
    visit("messages", &ConversationReply::messages);
    visit("resets", &ConversationReply::resets);
    visit("message", &ConversationReply::message);
  }
};

void reads(const ConversationCommand& command, const StreamRef& target, Reads& further);
void reads_further(const ConversationCommand& command, const StreamRef& target,
                   const States& states, Reads& further);
Decided decide(const ConversationCommand& command, const States& states, const Context& context);
ConversationReply reply(const ConversationState& state, const ConversationCommand& command);

}  // namespace domain

extern template class base::SealedVariant<domain::ConversationCommands>;
