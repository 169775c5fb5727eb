// Messages of a conversation that an agent is given together as one prompt, as one turn of a
// session.
#pragma once

#include <algorithm>
#include <vector>

#include "eventlog/domain/conversation/message_queue.hpp"

namespace domain {

struct ConversationRun {
  TurnId run;                        // the turn, and the id of the command that begins it
  SessionId session;                 // that is given it
  bool opens = false;                // the session is to be opened
  SessionId resumes;                 // with `opens`: the session that it goes on with; unset: none
  base::Sparse<SessionSpec> spec{};  // with `opens`: of that session
  TurnShape shape = TurnShape::single;
  std::vector<Position> messages;  // their MessageReceived, in order
  QueueOverflow overflow;          // that the prompt tells of
  MessageRoute route;              // where the answer goes to
  bool is_taken = false;           // the session has the prompt
  bool is_to_end = false;          // somebody has asked to interrupt it
  // Their MessageFileAttached, in order. One message at most has files, so that a run has no more
  // of them than a prompt can have.
  std::vector<Position> files{};
  SessionId caller{};  // with `opens`: the session that pays for it, too; unset: none does

  bool operator==(const ConversationRun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ConversationRun::run);
    visit("session", &ConversationRun::session);
    visit("opens", &ConversationRun::opens);
    visit("resumes", &ConversationRun::resumes);
    visit("spec", &ConversationRun::spec);
    visit("shape", &ConversationRun::shape);
    visit("messages", &ConversationRun::messages);
    visit("overflow", &ConversationRun::overflow);
    visit("route", &ConversationRun::route);
    visit("taken", &ConversationRun::is_taken);
    visit("to_end", &ConversationRun::is_to_end);
    visit("files", &ConversationRun::files);
    visit("caller", &ConversationRun::caller);
  }
};

// True if the run works on the task that the message at that position gave. False for 0.
inline bool has_task(const ConversationRun& run, Position task) {
  return std::find(run.messages.begin(), run.messages.end(), task) != run.messages.end();
}

// Returns the position of the oldest text or file that the run's prompt needs; 0: there is none.
inline Position oldest_of(const ConversationRun& run) {
  Position oldest{};
  for (const std::vector<Position>* all : {&run.overflow.latest, &run.messages, &run.files}) {
    if (all->empty()) continue;
    if (oldest.value == 0 || all->front() < oldest) oldest = all->front();
  }
  return oldest;
}

}  // namespace domain
