// A refused command: nothing was appended. The code is for programs. The text is for people: it
// says what is wrong, why, and what to do next.
#pragma once

#include <string>

#include "eventlog/base/fields.hpp"

namespace domain {

enum class RejectionCode {
  invalid,           // the command itself makes no sense
  not_found,         // no such session
  already_exists,    // the session id is taken by another command
  id_reused,         // the command id was used with another body
  id_too_old,        // of an id of that age the session does not know if it was used
  version_conflict,  // the stream is not at the expected version
  session_limit,     // max_sessions live sessions already
  session_ended,     // the session is in a terminal status
  not_accepting,     // closing, or its only turn takes no further prompt
  turn_not_running,  // the named turn is neither queued nor running
  source_live,       // the session to resume, or one that continues it, still runs
  not_resumable,     // the session to resume never had an agent session
  stale_token,       // another lease has been granted since
  report_gap,        // an earlier report is missing
  lease_held,        // an agent process of the session, or of the one to resume, still runs
  content_in_use,    // the text has not been given to the agent yet
  limit_reached,     // a bounded queue or table is full
  over_budget,       // the session has used up what it may, or its agent the budget of the day
  deadline_passed,   // its own deadline, or that of its prompt, passed before it was decided
  ask_over,          // the agent has another answer, or does not wait for one any more
  in_progress,       // its subject is still being made; try again later
  refused,           // this server cannot or must not do that
  inconsistent,      // the session's stream contradicts itself: only kill and export
  unavailable,       // the session's stream could not be read; nothing was decided
  busy,              // the server's inbox is full; nothing was decided
};

// True for codes that say nothing about the command itself. No state was looked at, so an earlier
// copy of the command may have been accepted, or may still be. The sender must not be told that it
// was refused.
constexpr bool is_undecided(RejectionCode code) {
  return code == RejectionCode::unavailable || code == RejectionCode::busy;
}

struct Rejection {
  RejectionCode code = RejectionCode::invalid;
  std::string text;

  bool operator==(const Rejection&) const = default;
};

}  // namespace domain

template <>
struct base::EnumNames<domain::RejectionCode> {
  static constexpr std::string_view kNames[] = {
      "invalid",          "not_found",     "already_exists", "id_reused",       "id_too_old",
      "version_conflict", "session_limit", "session_ended",  "not_accepting",   "turn_not_running",
      "source_live",      "not_resumable", "stale_token",    "report_gap",      "lease_held",
      "content_in_use",   "limit_reached", "over_budget",    "deadline_passed", "ask_over",
      "in_progress",      "refused",       "inconsistent",   "unavailable",     "busy"};
};
