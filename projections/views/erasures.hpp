// What session_list knows of erasures: who erased what and when, what is yet to be removed from the
// files, and which ended sessions still have text. Rows among those of session_list:
//
//   r/<agent>/<id><version:u64>               → Erasure, by the version of its ContentErased
//   e/<agent>/<id>                            → PendingErasure
//   k/<status>/<closed:u64>/<agent>/<id>      → KeptContent, the session that ended first comes
//   first
//
// Numbers are 8 bytes, most significant first.
#pragma once

#include "eventlog/domain/aggregates.hpp"
#include "projections/views/session_names.hpp"

namespace projections {

using base::Position;
using base::StreamVersion;
using base::Time;

struct Erasure {
  StreamVersion version;
  Position position;
  Time at;
  domain::ActorKind actor_kind = domain::ActorKind::client;
  std::string actor;
  domain::ErasureReason reason = domain::ErasureReason::requested;
  domain::VersionRanges events;
  Time completed_at;  // 0: some file may still hold it

  bool operator==(const Erasure&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("version", self.version);
    visit("position", self.position);
    visit("at", self.at);
    visit("actor_kind", self.actor_kind);
    visit("actor", self.actor);
    visit("reason", self.reason);
    visit("events", self.events);
    visit("completed_at", self.completed_at);
  }
};

struct PendingErasure {
  std::string agent;
  SessionId session;
  StreamVersion through;  // of its last ContentErased

  bool operator==(const PendingErasure&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("agent", self.agent);
    visit("session", self.session);
    visit("through", self.through);
  }
};

struct KeptContent {
  std::string agent;
  SessionId session;
  Time closed_at;

  bool operator==(const KeptContent&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("agent", self.agent);
    visit("session", self.session);
    visit("closed_at", self.closed_at);
  }
};

// ---- folding: after `event` has been folded into `state`, the state of its session ----

void note_erasure(Rows& rows, const domain::StreamRef& ref, const domain::RecordedEvent& event,
                  const domain::SessionState& state);
// Only of an ended session.
void note_kept_content(Rows& rows, const domain::StreamRef& ref, const domain::SessionState& state,
                       Time closed_at);

// ---- queries ----

// Of one session, ascending.
Result<std::vector<Erasure>> read_erasures(eventlog::KeyValueStore& store, std::string_view agent,
                                           SessionId session);
Result<std::vector<PendingErasure>> pending_erasures(eventlog::KeyValueStore& store,
                                                     std::size_t count_max);
// Sessions that ended so before `before` and still have text; the one that ended first comes first.
Result<std::vector<KeptContent>> kept_content(eventlog::KeyValueStore& store,
                                              domain::SessionStatus status, Time before,
                                              std::size_t count_max);

}  // namespace projections
