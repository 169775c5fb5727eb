// The loop that runs one projection: reads the blocks after its checkpoint, proves that they
// continue the history it has folded so far, folds them, and stores rows and checkpoint in one
// write. Whatever happens between two calls, rows and checkpoint belong together.
#pragma once

#include <optional>

#include "eventlog/store/block_store.hpp"
#include "projections/fold/projection.hpp"

namespace projections {

using base::Position;

// What a projection's rows stand at: stored beside them, in the same write, where no digest looks.
struct StoredCheckpoint {
  eventlog::Checkpoint checkpoint;
  std::int64_t schema = 0;

  bool operator==(const StoredCheckpoint&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("checkpoint", &StoredCheckpoint::checkpoint);
    visit("schema", &StoredCheckpoint::schema);
  }
};

// None: the store has no rows of that projection, or none that can be relied on.
Result<std::optional<StoredCheckpoint>> read_checkpoint(eventlog::KeyValueStore& store,
                                                        std::string_view projection);

// Used by one thread. Refers to projection and row store, which must outlive it.
class Projector {
 public:
  // Reads the checkpoint. Rows without a checkpoint or of another schema are removed, and the
  // projection begins at the log's first event.
  static Result<Projector> open(const Projection& projection, eventlog::KeyValueStore& store);

  const Projection& projection() const { return *projection_; }
  // The last event it has folded; 0: none.
  Position position() const { return checkpoint_.position; }
  const eventlog::Checkpoint& checkpoint() const { return checkpoint_; }
  // Why it does not go on. Kept until rebuild(), or until the projector is opened anew.
  const std::optional<base::Error>& stopped() const { return stopped_; }

  // Is this still the log that it left? To be called once after open, before the first catch_up.
  // Errors: those of prove_checkpoint, which stop the projection but for those of reading the log.
  Result<bool> verify_checkpoint(eventlog::BlockStore& log);

  // Folds whole blocks up to `durable_head`, the last position of a durable block, until at least
  // `events_max` events are folded. Returns how many were; 0: it has caught up.
  // An error that stops the projection (a broken chain, another log, an event of a later release,
  // damaged bytes) comes after everything before it has been folded and stored. Other errors (the
  // stores') leave rows and checkpoint as they were, and the call may be repeated.
  Result<std::int64_t> catch_up(eventlog::BlockStore& log, Position durable_head,
                                std::size_t events_max);

  // The same for several at once, which must share no rows: a block that more than one of them
  // takes is decoded once. One outcome each, in their order.
  static std::vector<Result<std::int64_t>> catch_up_all(const std::vector<Projector*>& projectors,
                                                        eventlog::BlockStore& log,
                                                        Position durable_head,
                                                        std::size_t events_max);

  // Removes checkpoint and rows: the next catch_up begins at the log's first event.
  Result<bool> rebuild();

 private:
  Projector(const Projection& projection, eventlog::KeyValueStore& store)
      : projection_(&projection), store_(&store) {}

  struct Batch;

  static Batch* furthest_behind(std::vector<Batch>& batches);
  static bool fold_block(std::vector<Batch>& batches, const eventlog::StoredBlock& stored,
                         const base::Hash& hash, Position durable_head, std::size_t events_max);
  Result<std::int64_t> finish(Batch& batch);
  base::Error stop(base::Error error);
  Result<bool> store(Rows& rows, const eventlog::Checkpoint& reached);

  const Projection* projection_;
  eventlog::KeyValueStore* store_;
  eventlog::Checkpoint checkpoint_;
  std::optional<base::Error> stopped_;
};

}  // namespace projections
