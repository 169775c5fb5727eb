// Rows of session_list about erasures: who erased what and when, what must still be removed from
// the files, and which ended sessions still have text:
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
  Time completed_at;  // 0: some file can still hold it

  bool operator==(const Erasure&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("version", &Erasure::version);
    visit("position", &Erasure::position);
    visit("at", &Erasure::at);
    visit("actor_kind", &Erasure::actor_kind);
    visit("actor", &Erasure::actor);
    visit("reason", &Erasure::reason);
    visit("events", &Erasure::events);
    visit("completed_at", &Erasure::completed_at);
  }
};

struct PendingErasure {
  std::string agent;
  SessionId session;
  StreamVersion through;  // the version of its last ContentErased

  bool operator==(const PendingErasure&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &PendingErasure::agent);
    visit("session", &PendingErasure::session);
    visit("through", &PendingErasure::through);
  }
};

struct KeptContent {
  std::string agent;
  SessionId session;
  Time closed_at;

  bool operator==(const KeptContent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &KeptContent::agent);
    visit("session", &KeptContent::session);
    visit("closed_at", &KeptContent::closed_at);
  }
};

// ---- folding: called after `event` was folded into `state`, the state of its session ----

void note_erasure(Rows& rows, const domain::StreamRef& ref, const domain::RecordedEvent& event,
                  const domain::SessionState& state);
// Call it for ended sessions only.
void note_kept_content(Rows& rows, const domain::StreamRef& ref, const domain::SessionState& state,
                       Time closed_at);

// ---- queries ----

// Returns the erasures of one session, by version, ascending.
Result<std::vector<Erasure>> read_erasures(eventlog::KeyValueStore& store, std::string_view agent,
                                           SessionId session);
// Returns those behind `after`, by agent and session; none: from the first on.
Result<std::vector<PendingErasure>> pending_erasures(
    eventlog::KeyValueStore& store, std::size_t count_max,
    const std::optional<PendingErasure>& after = std::nullopt);
// Returns sessions that ended with `status` before `before` and still have text, first those that
// ended first.
Result<std::vector<KeptContent>> kept_content(eventlog::KeyValueStore& store,
                                              domain::SessionStatus status, Time before,
                                              std::size_t count_max);

}  // namespace projections
