// A stream has one row, its state, for as long as it is under way. A shared stream has a state and
// the events since then, which are gathered into it at fixed versions.
#include "projections/start/startup_rows.hpp"

#include <limits>
#include <set>

#include "eventlog/base/msgpack_bin.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "projections/views/session_names.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using base::Position;
using base::StreamVersion;
using eventlog::LoadedStream;

constexpr std::int64_t kTakeoverRowSchema = 2;
constexpr std::string_view kStatePrefix = "b/";
constexpr std::string_view kEventPrefix = "j/";
// s/<agent>/<session>, u/<stream>: the state of a stream that is under way.
constexpr std::string_view kSessionPrefix = "s/";
constexpr std::string_view kUnderWayPrefix = "u/";

// b/<stream>: the state of a shared stream as of the last gathering.
template <class State>
struct GatheredStream {
  StreamVersion version;
  Position last;
  State state;

  bool operator==(const GatheredStream&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("version", &GatheredStream::version);
    visit("last", &GatheredStream::last);
    visit("state", &GatheredStream::state);
  }
};

// j/<stream> 00 <version>: an event of a shared stream that was not gathered yet.
struct KeptEvent {
  Position position;
  base::Binary facts;

  bool operator==(const KeptEvent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &KeptEvent::position);
    visit("facts", &KeptEvent::facts);
  }
};

bool is_with_server(const domain::StreamRef& stream) {
  return domain::residency_of(stream) == domain::Residency::with_server;
}

template <class A>
constexpr bool kIsReadAtStart = requires {
  requires A::kIsReadAtStart;
};

template <class... A>
constexpr bool has_one_row_each(base::Types<A...>) {
  return ((!domain::CanBeUnderWay<A> ||
           (A::kResidency == domain::Residency::on_demand && !kIsReadAtStart<A>)) &&
          ...);
}
static_assert(has_one_row_each(domain::Aggregates{}),
              "a stream that can be under way is on demand, and not read at the start besides");

bool is_of_agent_at_start(const domain::StreamRef& stream) {
  bool is = false;
  domain::use_aggregate(stream, [&]<class A>() { is = kIsReadAtStart<A>; });
  return is;
}

bool is_shared(const domain::StreamRef& stream) {
  return is_with_server(stream) || is_of_agent_at_start(stream);
}

// Returns false for a stream that is read when somebody asks for it. A name that is no stream's is
// read, so that the damage is found.
bool is_read_at_start(std::string_view stream, const std::set<std::string>& agents) {
  const auto ref = domain::parse_stream(stream);
  if (!ref || is_with_server(*ref)) return true;
  return is_of_agent_at_start(*ref) && agents.contains(ref->agent);
}

Bytes state_key(std::string_view stream) {
  return Bytes(kStatePrefix).append(stream);
}

Bytes event_prefix(std::string_view stream) {
  return Bytes(kEventPrefix).append(stream).append(1, '\0');
}

Bytes event_key(std::string_view stream, StreamVersion version) {
  Bytes key = event_prefix(stream);
  base::append_u64(key, static_cast<std::uint64_t>(version.value));
  return key;
}

// Events are gathered into the state at every multiple of this version. The version alone decides,
// so that the rows follow from the log. States hold live things only, so writing one costs little.
constexpr std::int64_t kGatheringDistance = 256;

Result<domain::RecordedEvent> decode_kept(const eventlog::KeyValue& row) {
  auto kept = detail::decode_row<KeptEvent>(row.key, row.value);
  if (!kept) return tl::unexpected(kept.error());
  auto event = domain::decode_facts(kept->facts.bytes);
  if (!event) return tl::unexpected(detail::bad_row(event.error(), row.key));
  event->envelope.position = kept->position;
  return event;
}

template <class State>
void gather_state(const std::string& stream, Rows& rows) {
  rows.edit<GatheredStream<State>>(state_key(stream), [&](GatheredStream<State>& gathered) {
    const Bytes prefix = event_prefix(stream);
    for (const auto& row : rows.scan(prefix, {}, std::numeric_limits<std::size_t>::max())) {
      const auto event = decode_kept(row);
      if (!event) {
        rows.fail(event.error());
        return false;
      }
      domain::evolve(gathered.state, event->envelope, event->event);
      gathered.version = event->envelope.version;
      gathered.last = event->envelope.position;
      rows.remove(row.key);
    }
    return true;
  });
}

void fold_shared(const domain::RecordedEvent& event, Rows& rows) {
  const std::string& stream = event.envelope.stream;
  const StreamVersion version = event.envelope.version;
  const auto empty = domain::initial_state(stream);
  if (!empty) return;
  rows.put(event_key(stream, version),
           KeptEvent{event.envelope.position, {domain::encode_facts(event)}});
  if (version.value % kGatheringDistance != 0) return;
  std::visit([&](const auto& state) { gather_state<std::decay_t<decltype(state)>>(stream, rows); },
             *empty);
}

Bytes under_way_key(const domain::StreamRef& stream) {
  if (stream.is<domain::SessionStream>()) return session_key(stream.agent, stream.id);
  return Bytes(kUnderWayPrefix).append(domain::stream_of(stream));
}

template <domain::CanBeUnderWay A>
void fold_under_way(const domain::RecordedEvent& event, const domain::StreamRef& stream,
                    Rows& rows) {
  const Bytes key = under_way_key(stream);
  bool is_over = false;
  rows.edit<typename A::State>(key, [&](typename A::State& state) {
    if (!A::is_under_way(state) && event.envelope.version.value != 1) return false;
    domain::evolve(state, event.envelope, event.event);
    if constexpr (requires { state.commands.clear(); }) state.commands.clear();
    is_over = !A::is_under_way(state);
    return true;
  });
  if (is_over) rows.remove(key);
}

// ---- reading ----

// Calls `use(row)` for each row under the prefix; its first error ends the walk.
template <class Use>
Result<void> each(eventlog::ReadableRows& rows, std::string_view prefix, Use&& use) {
  Result<void> outcome;
  const auto walked = for_each_row(RowScanner(rows, StartupRows::kName), prefix, {},
                                   [&](const Bytes& key, const Bytes& value) {
                                     outcome = use(eventlog::KeyValue{key, value});
                                     return outcome.has_value();
                                   });
  return walked ? outcome : walked;
}

tl::unexpected<base::Error> unusable(const eventlog::KeyValue& row) {
  return tl::unexpected(
      detail::bad_row({ErrorCode::rows_damaged, "it does not belong to its stream", {}}, row.key));
}

template <class A>
Result<void> take_under_way_of(const eventlog::KeyValue& row, domain::StreamRef stream,
                               Takeover& takeover) {
  if constexpr (domain::CanBeUnderWay<A>) {
    auto state = detail::decode_row<typename A::State>(row.key, row.value);
    if (!state) return tl::unexpected(state.error());
    takeover.under_way.push_back({std::move(stream), std::move(*state)});
    return {};
  } else {
    return unusable(row);
  }
}

Result<void> take_under_way(const eventlog::KeyValue& row, Takeover& takeover) {
  const auto stream = domain::parse_stream(row.key.substr(kUnderWayPrefix.size()));
  if (!stream || row.key != under_way_key(*stream)) return unusable(row);
  Result<void> taken;
  domain::use_aggregate(*stream,
                        [&]<class A>() { taken = take_under_way_of<A>(row, *stream, takeover); });
  return taken;
}

Result<void> take_session(const eventlog::KeyValue& row, Takeover& takeover) {
  auto state = detail::decode_row<domain::SessionState>(row.key, row.value);
  if (!state) return tl::unexpected(state.error());
  domain::StreamRef stream{domain::SessionStream::kPattern, state->agent, state->session};
  if (row.key != under_way_key(stream)) return unusable(row);
  takeover.under_way.push_back({std::move(stream), std::move(*state)});
  return {};
}

Result<void> take_state(const eventlog::KeyValue& row, const std::set<std::string>& agents,
                        Takeover& takeover) {
  const std::string stream = row.key.substr(kStatePrefix.size());
  if (!is_read_at_start(stream, agents)) return {};
  auto empty = domain::initial_state(stream);
  if (!empty) return unusable(row);
  return std::visit(
      [&](const auto& state) -> Result<void> {
        using Stored = GatheredStream<std::decay_t<decltype(state)>>;
        auto stored = detail::decode_row<Stored>(row.key, row.value);
        if (!stored) return tl::unexpected(stored.error());
        takeover.shared[stream] = {std::move(stored->state), stored->version, stored->last};
        return {};
      },
      *empty);
}

Result<void> take_event(const eventlog::KeyValue& row, const std::set<std::string>& agents,
                        Takeover& takeover) {
  const std::string_view name = std::string_view(row.key).substr(kEventPrefix.size());
  if (!is_read_at_start(name.substr(0, name.find('\0')), agents)) return {};
  auto event = decode_kept(row);
  if (!event) return tl::unexpected(event.error());
  const domain::Envelope& envelope = event->envelope;
  auto found = takeover.shared.find(envelope.stream);
  if (found == takeover.shared.end()) {
    auto empty = domain::initial_state(envelope.stream);
    if (!empty) return unusable(row);
    found = takeover.shared.emplace(envelope.stream, LoadedStream{std::move(*empty), {}, {}}).first;
  }
  LoadedStream& loaded = found->second;
  if (row.key != event_key(envelope.stream, envelope.version) ||
      envelope.version != loaded.version.next()) {
    return unusable(row);
  }
  domain::evolve(loaded.state, envelope, event->event);
  loaded.version = envelope.version;
  loaded.last = envelope.position;
  return {};
}

}  // namespace

std::int64_t StartupRows::schema() const {
  return domain::kSchemaOfAll * 1000 + kTakeoverRowSchema;
}

void StartupRows::apply(const domain::RecordedEvent& event,
                        const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  if (!stream) return;
  if (is_shared(*stream)) return fold_shared(event, rows);
  domain::use_aggregate(*stream, [&]<class A>() {
    if constexpr (domain::CanBeUnderWay<A>) fold_under_way<A>(event, *stream, rows);
  });
}

Result<Takeover> read_takeover(eventlog::KeyValueStore& store) {
  Takeover takeover;
  for (const std::string& stream : domain::kept_streams()) {
    takeover.shared.emplace(stream, LoadedStream{*domain::initial_state(stream), {}, {}});
  }
  // A snapshot leaves no rows in the store's cache: they are read once.
  const auto rows = store.snapshot();
  if (!rows) return tl::unexpected(rows.error());
  auto read = each(**rows, kSessionPrefix,
                   [&](const eventlog::KeyValue& row) { return take_session(row, takeover); });
  if (read) {
    read = each(**rows, kUnderWayPrefix,
                [&](const eventlog::KeyValue& row) { return take_under_way(row, takeover); });
  }
  std::set<std::string> agents;  // of the streams that are under way
  for (const StreamUnderWay& one : takeover.under_way) agents.insert(one.stream.agent);
  if (read) {
    read = each(**rows, kStatePrefix,
                [&](const eventlog::KeyValue& row) { return take_state(row, agents, takeover); });
  }
  if (read) {
    read = each(**rows, kEventPrefix,
                [&](const eventlog::KeyValue& row) { return take_event(row, agents, takeover); });
  }
  if (!read) return tl::unexpected(read.error());
  return takeover;
}

}  // namespace projections
