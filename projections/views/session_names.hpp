// The words that people use for a session instead of its id: its alias, its name, the agent's own
// session id. Several projections keep them, each among its own rows, under these keys:
//
//   a/<agent>/<alias>          → SessionRef   aliases are unique among all sessions ever
//   n/<agent>/<name>           → NameRef      names that were given are unique among live sessions
//   u/<agent>/<agent session>  → SessionRef   the session that reported it last
//
// An agent's name has no '/', and the key ends with the word after it, so no two keys collide.
#pragma once

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "projections/fold/rows.hpp"

namespace projections {

using base::SessionId;

struct SessionRef {
  SessionId session;

  bool operator==(const SessionRef&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionRef::session);
  }
};

struct NameRef {
  SessionId live;    // unset: no live session has the name
  SessionId newest;  // the one that got the name last; unset: it goes by another one

  bool operator==(const NameRef&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("live", &NameRef::live);
    visit("newest", &NameRef::newest);
  }
};

// s/<agent>/<id>: the key of every projection's row of one session.
Bytes session_key(std::string_view agent, SessionId session);
// The part of session_key() before the id.
Bytes session_prefix(std::string_view agent);
Bytes alias_prefix(std::string_view agent);

// Returns the stream's reference if it is a session's; else none.
const domain::StreamRef* session_of(const std::optional<domain::StreamRef>& stream);

// ---- folding ----

// The session was opened: its alias and the name that it was given refer to it from now on.
void refer_opened(Rows& rows, const domain::SessionOpened& opened, const std::string& agent,
                  SessionId session);
// The agent told its own session id.
void refer_agent_session(Rows& rows, std::string_view agent, std::string_view agent_session,
                         SessionId session);
// The session left the name `before`, unless that is empty, and goes by `after` from now on.
void refer_renamed(Rows& rows, const std::string& agent, SessionId session, bool is_live,
                   std::string_view before, std::string_view after);
// The session ended: its name is free, and refers to it until another session takes it.
void release_name(Rows& rows, std::string_view agent, std::string_view name, SessionId session);

// ---- queries: none when no session goes by that word ----

Result<std::optional<SessionId>> find_alias(const RowReader& rows, std::string_view agent,
                                            std::string_view alias);
// Returns the live session of that name, else the newest one.
Result<std::optional<SessionId>> find_name(const RowReader& rows, std::string_view agent,
                                           std::string_view name);
Result<std::optional<SessionId>> find_agent_session(const RowReader& rows, std::string_view agent,
                                                    std::string_view agent_session);

}  // namespace projections
