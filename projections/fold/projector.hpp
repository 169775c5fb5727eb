// The loop that runs one projection. It reads the blocks after the checkpoint, proves that they
// continue the history folded so far, folds them, and stores rows and checkpoint in one write. Rows
// and checkpoint therefore always belong together.
#pragma once

#include <optional>

#include "eventlog/store/block_store.hpp"
#include "projections/fold/projection.hpp"

namespace projections {

using base::Position;

// The checkpoint and schema of a projection's rows. It is stored beside them, in the same write,
// under a key that no digest covers.
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

// Returns the stored checkpoint; none: there is none, or it cannot be decoded. Error: the store's.
Result<std::optional<StoredCheckpoint>> read_checkpoint(eventlog::KeyValueStore& store,
                                                        std::string_view projection);

// Used by one thread. `projection` and `store` must outlive it.
class Projector {
 public:
  // Reads the checkpoint. If there is none, or its schema is another one, the rows are removed and
  // the projection begins at the log's first event.
  static Result<Projector> open(const Projection& projection, eventlog::KeyValueStore& store);

  const Projection& projection() const { return *projection_; }
  // The position of the last event that it has folded; 0: none.
  Position position() const { return checkpoint_.position; }
  const eventlog::Checkpoint& checkpoint() const { return checkpoint_; }
  // The error that stopped it. Kept until rebuild(), or until the projector is opened anew.
  const std::optional<base::Error>& stopped() const { return stopped_; }

  // Checks that the log is still the one that it left. Call it once after open(), before the first
  // catch_up(). Errors: those of prove_checkpoint; all but failures to read the log stop the
  // projection.
  Result<void> verify_checkpoint(eventlog::BlockStore& log);

  // Folds whole blocks up to `durable_head`, the last position of a durable block, until at least
  // `events_max` events are folded. Returns how many were; 0: it has caught up.
  // Some errors stop the projection: a broken chain, another log, an event of a later release,
  // damaged bytes. They are returned after everything before them was folded and stored. Other
  // errors (of the log's store or the rows' store) leave rows and checkpoint as they were, and the
  // call can be repeated.
  Result<std::int64_t> catch_up(eventlog::BlockStore& log, Position durable_head,
                                std::size_t events_max);

  // The same for several at once, which must share no rows: a block that several take is decoded
  // once. Returns one outcome for each, in their order.
  static std::vector<Result<std::int64_t>> catch_up_all(const std::vector<Projector*>& projectors,
                                                        eventlog::BlockStore& log,
                                                        Position durable_head,
                                                        std::size_t events_max);

  // Removes checkpoint and rows: the next catch_up() begins at the log's first event.
  Result<void> rebuild();
  // Goes on from there, without rows: no event up to there has any. Call it behind rebuild().
  Result<void> stand_at(const eventlog::Checkpoint& checkpoint);

 private:
  Projector(const Projection& projection, eventlog::KeyValueStore& store)
      : projection_(&projection), store_(&store) {}

  struct Batch;

  static Batch* furthest_behind(std::vector<Batch>& batches);
  static bool fold_block(std::vector<Batch>& batches, const eventlog::StoredBlock& stored,
                         const base::Hash& hash, Position durable_head, std::size_t events_max);
  Result<std::int64_t> finish(Batch& batch);
  base::Error stop(base::Error error);
  Result<void> store(Rows& rows, const eventlog::Checkpoint& reached);

  const Projection* projection_;
  eventlog::KeyValueStore* store_;
  eventlog::Checkpoint checkpoint_;
  std::optional<base::Error> stopped_;
};

}  // namespace projections
