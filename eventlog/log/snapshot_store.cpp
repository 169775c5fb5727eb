// A snapshot is one row: the schema of the state, the stream's version, its last position and the
// state's own encoding.
#include "eventlog/log/snapshot_store.hpp"

#include "eventlog/domain/evolve.hpp"

namespace eventlog {
namespace {

struct Snapshot {
  std::int64_t schema = 0;
  base::StreamVersion version;
  base::Position last;
  base::RawValue state;

  bool operator==(const Snapshot&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schema", &Snapshot::schema);
    visit("version", &Snapshot::version);
    visit("last", &Snapshot::last);
    visit("state", &Snapshot::state);
  }
};

}  // namespace

base::Result<void> SnapshotStore::save(const std::string& stream, const LoadedStream& loaded) {
  Snapshot snapshot{0, loaded.version, loaded.last, {}};
  std::visit(
      [&]<class State>(const State& state) {
        snapshot.schema = domain::kSchemaOf<State>;
        snapshot.state.encoded = base::encode(state);
      },
      loaded.state);
  WriteBatch batch;
  batch.put(prefix_ + stream, base::encode(snapshot));
  return rows_.write(batch);
}

base::Result<std::optional<LoadedStream>> SnapshotStore::load(const std::string& stream) {
  auto row = rows_.get(prefix_ + stream);
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  const auto snapshot = base::decode<Snapshot>(**row);
  if (!snapshot) return tl::unexpected(snapshot.error());
  auto state = domain::initial_state(stream);
  if (!state) return base::failure(base::ErrorCode::invalid, "not the name of a stream", stream);
  const bool is_of_today = std::visit(
      [&]<class State>(const State&) { return snapshot->schema == domain::kSchemaOf<State>; },
      *state);
  if (!is_of_today) return std::nullopt;
  // A state that equals its default can be left out.
  const bool is_left_out = snapshot->state.encoded.empty();
  base::Result<void> ok =
      is_left_out
          ? base::Result<void>()
          : std::visit(
                [&](auto& empty) -> base::Result<void> {
                  auto decoded =
                      base::decode<std::remove_cvref_t<decltype(empty)>>(snapshot->state.encoded);
                  if (!decoded) return tl::unexpected(decoded.error());
                  empty = std::move(*decoded);
                  return {};
                },
                *state);
  if (!ok) return tl::unexpected(ok.error());
  return std::optional(LoadedStream{std::move(*state), snapshot->version, snapshot->last});
}

base::Result<std::optional<base::StreamVersion>> SnapshotStore::version(const std::string& stream) {
  auto row = rows_.get(prefix_ + stream);
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  const auto snapshot = base::decode<Snapshot>(**row);
  if (!snapshot) return tl::unexpected(snapshot.error());
  return snapshot->version;
}

}  // namespace eventlog
