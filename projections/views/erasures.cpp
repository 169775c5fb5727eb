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

bool is_session(const domain::StreamRef& ref) {
  return ref.is<domain::SessionStream>();
}

std::string name_of(const domain::StreamRef& ref) {
  return domain::format_stream(ref.pattern, ref.agent, ref.id);
}

Bytes session_part(const domain::StreamRef& ref) {
  return Bytes(ref.agent) + "/" + Bytes(ref.id.view());
}

// A stream's erasures have keys that begin so.
Bytes erasures_prefix(const domain::StreamRef& ref) {
  if (is_session(ref)) return "r/" + session_part(ref);
  return ("q/" + name_of(ref)).append(1, '\0');
}

constexpr std::string_view kPendingPrefixes[] = {"e/", "f/"};

Bytes pending_key(const domain::StreamRef& ref) {
  return is_session(ref) ? "e/" + session_part(ref) : "f/" + name_of(ref);
}

PendingRow to_row(const domain::StreamRef& ref, StreamVersion through) {
  if (is_session(ref)) return {ref.agent, ref.id, through, {}};
  return {{}, {}, through, name_of(ref)};
}

PendingErasure to_pending(PendingRow row) {
  if (!row.stream.empty()) return {std::move(row.stream), row.through};
  return {domain::session_stream(row.agent, row.session), row.through};
}

Bytes kept_prefix(domain::SessionStatus status) {
  return "k/" + Bytes(base::enum_name(status)) + "/";
}

Bytes kept_key(const domain::StreamRef& ref, domain::SessionStatus status, Time closed_at) {
  return kept_prefix(status) + number(closed_at.us) + "/" + session_part(ref);
}

void record(Rows& rows, const domain::StreamRef& ref, const domain::Envelope& envelope,
            const domain::ContentErased& erased) {
  rows.put(erasures_prefix(ref) + number(envelope.version.value), Erasure{envelope.version,
                                                                          envelope.position,
                                                                          envelope.log_time,
                                                                          envelope.actor_kind,
                                                                          envelope.actor,
                                                                          erased.reason,
                                                                          erased.events,
                                                                          {}});
  rows.put(pending_key(ref), to_row(ref, envelope.version));
}

void complete(Rows& rows, const domain::StreamRef& ref, Time at, StreamVersion through) {
  const Bytes key = pending_key(ref);
  const auto* pending = rows.find<PendingRow>(key);
  if (pending == nullptr || through > pending->through) return;
  if (through == pending->through) rows.remove(key);
  const Bytes prefix = erasures_prefix(ref);
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

// An impossible event changes nothing here, as it changes nothing in its stream's state.
void note_erasure(Rows& rows, const domain::StreamRef& ref, const domain::RecordedEvent& event) {
  const domain::Envelope& envelope = event.envelope;
  if (const auto* erased = event.event.as<domain::ContentErased>()) {
    domain::ContentState ignored;
    if (domain::fold_content(ignored, envelope, *erased)) record(rows, ref, envelope, *erased);
  } else if (const auto* done = event.event.as<domain::ContentErasureCompleted>()) {
    complete(rows, ref, envelope.log_time, done->through);
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

Result<std::vector<Erasure>> read_erasures(eventlog::KeyValueStore& store,
                                           std::string_view stream) {
  std::vector<Erasure> all;
  const auto ref = domain::parse_stream(stream);
  if (!ref) return all;
  const auto read = each<Erasure>(store, erasures_prefix(*ref), {}, [&](Erasure erasure) {
    all.push_back(std::move(erasure));
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return all;
}

Result<std::vector<PendingErasure>> pending_erasures(eventlog::KeyValueStore& store,
                                                     std::size_t count_max,
                                                     std::string_view after) {
  std::vector<PendingErasure> all;
  const auto ref = domain::parse_stream(after);
  const Bytes from = ref ? pending_key(*ref) + '\0' : Bytes();
  for (const std::string_view prefix : kPendingPrefixes) {
    if (all.size() == count_max || from.substr(0, prefix.size()) > prefix) continue;
    const auto read = each<PendingRow>(store, Bytes(prefix), from, [&](PendingRow row) {
      all.push_back(to_pending(std::move(row)));
      return all.size() < count_max;
    });
    if (!read) return tl::unexpected(read.error());
  }
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
