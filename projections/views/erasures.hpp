// Rows of session_list about erasures: who erased what of a stream and when, what must still be
// removed from the files, and which ended sessions still have text:
//
//   r/<agent>/<id><version:u64>               → Erasure of a session, by the version of its
//   ContentErased
//   q/<stream> 00 <version:u64>               → Erasure of any other stream, likewise
//   e/<agent>/<id>                            → PendingRow of a session
//   f/<stream>                                → PendingRow of any other stream
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
  std::string stream;
  StreamVersion through;  // the version of its last ContentErased

  bool operator==(const PendingErasure&) const = default;
};

// A PendingErasure as it is stored.
struct PendingRow {
  std::string agent;  // with `session`, stands for the stream of that session
  SessionId session;
  StreamVersion through;
  std::string stream;  // of any other stream

  bool operator==(const PendingRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &PendingRow::agent);
    visit("session", &PendingRow::session);
    visit("through", &PendingRow::through);
    visit("stream", &PendingRow::stream);
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

// ---- folding ----

// Call it with each event of a stream whose texts can be erased.
void note_erasure(Rows& rows, const domain::StreamRef& ref, const domain::RecordedEvent& event);
// Call it for ended sessions only, once the event was folded into `state`.
void note_kept_content(Rows& rows, const domain::StreamRef& ref, const domain::SessionState& state,
                       Time closed_at);

// ---- queries ----

// Returns the erasures of one stream, by version, ascending.
Result<std::vector<Erasure>> read_erasures(eventlog::KeyValueStore& store, std::string_view stream);
// Returns those behind the one of the stream `after`, in an order that lasts; empty: from the first
// on.
Result<std::vector<PendingErasure>> pending_erasures(eventlog::KeyValueStore& store,
                                                     std::size_t count_max,
                                                     std::string_view after = {});
// Returns sessions that ended with `status` before `before` and still have text, first those that
// ended first.
Result<std::vector<KeptContent>> kept_content(eventlog::KeyValueStore& store,
                                              domain::SessionStatus status, Time before,
                                              std::size_t count_max);

}  // namespace projections
