// The state of a conversation: its settings, what waits, what runs, and the session that it is in.
// Nothing in it grows with the messages that ever came.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/conversation/events.hpp"

namespace domain {

// So many sessions that it has left are remembered, to undo resets; the log has all.
constexpr std::size_t kPastSessionsMax = 16;
// So many messages are known by their channel's ids, for those that come twice.
constexpr std::size_t kSeenMessagesMax = 128;

// A session that a reset has left.
struct PastSession {
  SessionId session;
  ResetReason reason = ResetReason::user;
  Time at;  // log time of the reset

  bool operator==(const PastSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &PastSession::session);
    visit("reason", &PastSession::reason);
    visit("at", &PastSession::at);
  }
};

struct SeenMessage {
  std::string id;
  MessageRoute route;
  Position at;  // 0: it was a command of the conversation

  bool operator==(const SeenMessage&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("id", &SeenMessage::id);
    visit("route", &SeenMessage::route);
    visit("at", &SeenMessage::at);
  }
};

struct ConversationState : ContentState {
  std::string key;  // empty: there is no such conversation, or not any more
  std::string agent;
  base::Sparse<SessionSpec> spec;
  base::Sparse<ConversationOrigin> origin;
  std::string parent;
  EntryFields entry;
  DeliveryContext last_route;  // of the last message that has one
  MessageQueue queue;
  base::Boxed<ConversationRun> run;  // under way; none: nothing runs
  bool is_started = false;           // the agent works on it
  Position newest;                   // message; 0: none, or a command came last
  QueuedMessages returned;           // the run's messages, until a session has taken it
  std::int64_t refusals = 0;         // of the messages that wait, in a row
  Time again_at;                     // as ConversationRunReturned has it
  bool is_immediate = false;         // the message that waits found nothing at work
  QueueSettings settings;            // of the newest message
  SessionId session;                 // of the last run; unset: none, or a reset has left it
  SessionId session_before;          // of the run before; for one that no session takes
  std::vector<PastSession> past;     // newest last
  std::vector<SeenMessage> seen;     // newest last
  std::int64_t messages = 0;         // so far, and so the next two
  std::int64_t runs = 0;
  std::int64_t resets = 0;
  Time opened_at;  // log time, and so the next two
  Time updated_at;
  Position first{};        // message since the last reset; 0: none
  Time heard_at;           // of the last message; 0: none since the last reset
  bool has_begun = false;  // a session has had a run, or none can go on with what was said before
  base::Sparse<std::vector<Position>> attached{};  // files, to the message that comes next
  SessionId caller{};                              // as ConversationOpened has it
  Position task{};  // message by which `parent` has given it its task, until that ends; 0: none
  RunCleanup cleanup = RunCleanup::keep;  // as ConversationOpened has it
  std::vector<AcceptedCommand> requests;
  Position inconsistent;

  bool operator==(const ConversationState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    ContentState::fields(visit);
    visit("key", &ConversationState::key);
    visit("agent", &ConversationState::agent);
    visit("spec", &ConversationState::spec);
    visit("origin", &ConversationState::origin);
    visit("parent", &ConversationState::parent);
    visit("entry", &ConversationState::entry);
    visit("last_route", &ConversationState::last_route);
    visit("queue", &ConversationState::queue);
    visit("run", &ConversationState::run);
    visit("started", &ConversationState::is_started);
    visit("newest", &ConversationState::newest);
    visit("returned", &ConversationState::returned);
    visit("refusals", &ConversationState::refusals);
    visit("again_at", &ConversationState::again_at);
    visit("immediate", &ConversationState::is_immediate);
    visit("settings", &ConversationState::settings);
    visit("session", &ConversationState::session);
    visit("session_before", &ConversationState::session_before);
    visit("past", &ConversationState::past);
    visit("seen", &ConversationState::seen);
    visit("messages", &ConversationState::messages);
    visit("runs", &ConversationState::runs);
    visit("resets", &ConversationState::resets);
    visit("opened_at", &ConversationState::opened_at);
    visit("updated_at", &ConversationState::updated_at);
    visit("first", &ConversationState::first);
    visit("heard_at", &ConversationState::heard_at);
    visit("begun", &ConversationState::has_begun);
    visit("attached", &ConversationState::attached);
    visit("caller", &ConversationState::caller);
    visit("task", &ConversationState::task);
    visit("cleanup", &ConversationState::cleanup);
    visit("requests", &ConversationState::requests);
    visit("inconsistent", &ConversationState::inconsistent);
  }
};

void evolve(ConversationState& state, const Envelope& envelope, const Event& event);

// Returns the client's command that was accepted under that id; none if it is new.
std::optional<AcceptedCommand> known_command(const ConversationState& state,
                                             const CommandId& command);

// See erasing.hpp.
const ContentState& contents_of(const ConversationState& state);
std::string subject_of(const ConversationState& state);
base::Result<VersionRanges, Rejection> erasable_of(const ConversationState& state,
                                                   const VersionRanges& asked);

// Returns the choices that /queue and patches have left.
QueueChoices queue_choices(const EntryFields& entry);

}  // namespace domain
