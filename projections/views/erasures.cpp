// The rows are written while session_list folds an event, and read by prefix; their keys give the
// order.
#include "projections/views/erasures.hpp"

#include <limits>

#include "projections/views/session_list.hpp"

namespace projections {
namespace {

Bytes number(std::int64_t value) {
  Bytes bytes;
  base::append_u64(bytes, static_cast<std::uint64_t>(value));
  return bytes;
}

// The key of one session's row of that kind.
Bytes own_key(std::string_view kind, std::string_view agent, SessionId session) {
  return Bytes(kind) + "/" + Bytes(agent) + "/" + Bytes(session.view());
}

Bytes kept_prefix(domain::SessionStatus status) {
  return "k/" + Bytes(base::enum_name(status)) + "/";
}

Bytes kept_key(const domain::StreamRef& ref, domain::SessionStatus status, Time closed_at) {
  return kept_prefix(status) + number(closed_at.us) + own_key("", ref.agent, ref.id);
}

void record(Rows& rows, const domain::StreamRef& ref, const domain::Envelope& envelope,
            const domain::ContentErased& erased) {
  const Bytes key = own_key("r", ref.agent, ref.id) + number(envelope.version.value);
  rows.put(key, Erasure{envelope.version,
                        envelope.position,
                        envelope.log_time,
                        envelope.actor_kind,
                        envelope.actor,
                        erased.reason,
                        erased.events,
                        {}});
}

void complete(Rows& rows, const domain::StreamRef& ref, Time at, StreamVersion through) {
  const Bytes prefix = own_key("r", ref.agent, ref.id);
  const auto found = rows.scan(prefix, prefix, std::numeric_limits<std::size_t>::max());
  for (const eventlog::KeyValue& row : found) {
    auto erasure = detail::decode_row<Erasure>(row.key, row.value);
    if (!erasure) return rows.fail(erasure.error());
    if (erasure->version > through || erasure->completed_at.us != 0) continue;
    erasure->completed_at = at;
    rows.put(row.key, *erasure);
  }
}

// Calls `use` with the rows of one kind, in order, from a key on, until it returns false.
template <class Row, class Use>
Result<void> each(eventlog::KeyValueStore& store, const Bytes& prefix, const Bytes& from,
                  Use&& use) {
  std::optional<base::Error> bad;
  auto walked = for_each_row(RowReader(store, SessionList::kName), prefix, from,
                             [&](const Bytes& key, const Bytes& value) {
                               auto row = detail::decode_row<Row>(key, value);
                               if (!row) {
                                 bad = row.error();
                                 return false;
                               }
                               return use(std::move(*row));
                             });
  if (bad) return tl::unexpected(*bad);
  return walked;
}

}  // namespace

void note_erasure(Rows& rows, const domain::StreamRef& ref, const domain::RecordedEvent& event,
                  const domain::SessionState& state) {
  if (const auto* erased = std::get_if<domain::ContentErased>(&event.event)) {
    record(rows, ref, event.envelope, *erased);
  } else if (const auto* done = std::get_if<domain::ContentErasureCompleted>(&event.event)) {
    complete(rows, ref, event.envelope.log_time, done->through);
  } else {
    return;
  }
  const Bytes key = own_key("e", ref.agent, ref.id);
  if (state.erasure > state.erasure_completed) {
    rows.put(key, PendingErasure{ref.agent, ref.id, state.erasure});
  } else {
    rows.remove(key);
  }
}

void note_kept_content(Rows& rows, const domain::StreamRef& ref, const domain::SessionState& state,
                       Time closed_at) {
  const Bytes key = kept_key(ref, state.status, closed_at);
  if (domain::is_wholly_erased(state)) {
    rows.remove(key);
  } else {
    rows.put(key, KeptContent{ref.agent, ref.id, closed_at});
  }
}

Result<std::vector<Erasure>> read_erasures(eventlog::KeyValueStore& store, std::string_view agent,
                                           SessionId session) {
  std::vector<Erasure> all;
  const auto read = each<Erasure>(store, own_key("r", agent, session), {}, [&](Erasure erasure) {
    all.push_back(std::move(erasure));
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return all;
}

Result<std::vector<PendingErasure>> pending_erasures(eventlog::KeyValueStore& store,
                                                     std::size_t count_max,
                                                     const std::optional<PendingErasure>& after) {
  std::vector<PendingErasure> all;
  const Bytes from = after ? own_key("e", after->agent, after->session) + '\0' : Bytes();
  const auto read = each<PendingErasure>(store, "e/", from, [&](PendingErasure pending) {
    all.push_back(std::move(pending));
    return all.size() < count_max;
  });
  if (!read) return tl::unexpected(read.error());
  return all;
}

Result<std::vector<KeptContent>> kept_content(eventlog::KeyValueStore& store,
                                              domain::SessionStatus status, Time before,
                                              std::size_t count_max) {
  std::vector<KeptContent> all;
  const auto read = each<KeptContent>(store, kept_prefix(status), {}, [&](KeptContent kept) {
    if (kept.closed_at >= before) return false;
    all.push_back(std::move(kept));
    return all.size() < count_max;
  });
  if (!read) return tl::unexpected(read.error());
  return all;
}

}  // namespace projections
