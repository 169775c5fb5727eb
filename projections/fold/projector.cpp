// Several projectors read the log together: each page is read for the one furthest behind, and a
// block is decoded once for all that stand right before it.
#include "projections/fold/projector.hpp"

#include <algorithm>
#include <span>

#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/tail_proof.hpp"
#include "projections/fold/block_continuity.hpp"

namespace projections {
namespace {

using base::Error;
using base::ErrorCode;
using eventlog::BlockStore;
using eventlog::Checkpoint;

// The size of one read of the log: small enough to bound memory, large enough that reads are few.
constexpr std::size_t kReadBytes = 1 << 20;

// Blocks that are hashed side by side. Fewer than a page's, since a fold can end within a page.
constexpr std::size_t kHashedAtOnce = 8;

Bytes checkpoint_key(std::string_view projection) {
  return "checkpoint/" + Bytes(projection);
}

// True if the failure is one of the log or the rows, not of a device that did not answer this time.
bool is_final(const Error& error) {
  return error.code == ErrorCode::wrong_log || error.code == ErrorCode::damaged ||
         error.code == ErrorCode::rows_damaged || error.code == ErrorCode::invalid;
}

}  // namespace

Result<std::optional<StoredCheckpoint>> read_checkpoint(eventlog::KeyValueStore& store,
                                                        std::string_view projection) {
  auto bytes = store.get(checkpoint_key(projection));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  auto stored = base::decode<StoredCheckpoint>(**bytes);
  return stored ? std::optional(*stored) : std::nullopt;
}

Result<Projector> Projector::open(const Projection& projection, eventlog::KeyValueStore& store) {
  Projector projector(projection, store);
  auto stored = read_checkpoint(store, projection.name());
  if (!stored) return tl::unexpected(stored.error());
  if (*stored && (*stored)->schema == projection.schema()) {
    projector.checkpoint_ = (*stored)->checkpoint;
    return projector;
  }
  // A checkpoint that cannot be read counts as none: its rows can be built again.
  if (auto ok = projector.rebuild(); !ok) return tl::unexpected(ok.error());
  return projector;
}

Result<void> Projector::verify_checkpoint(BlockStore& log) {
  auto proved = eventlog::prove_checkpoint(log, checkpoint_);
  if (!proved && is_final(proved.error())) stopped_ = proved.error();
  return proved;
}

// The work of one call of catch_up_all for one projector.
struct Projector::Batch {
  explicit Batch(Projector& p)
      : projector(p), rows(*p.store_, p.projection_->name()), reached(p.checkpoint_) {}

  std::int64_t folded() const {
    return reached.position.value - projector.checkpoint_.position.value;
  }

  Projector& projector;
  Rows rows;
  Checkpoint reached;
  bool is_done = false;
  std::optional<Error> failed;   // stops the projection once the blocks before it are stored
  std::optional<Error> refused;  // by the log: nothing is stored, and the call can be repeated
};

Result<std::int64_t> Projector::catch_up(BlockStore& log, Position durable_head,
                                         std::size_t events_max) {
  return catch_up_all({this}, log, durable_head, events_max).front();
}

std::vector<Result<std::int64_t>> Projector::catch_up_all(const std::vector<Projector*>& projectors,
                                                          BlockStore& log, Position durable_head,
                                                          std::size_t events_max) {
  std::vector<Batch> batches;
  batches.reserve(projectors.size());
  for (Projector* projector : projectors) {
    batches.emplace_back(*projector);
    batches.back().is_done = projector->stopped_ || projector->checkpoint_.position >= durable_head;
  }
  while (Batch* behind = furthest_behind(batches)) {
    const auto blocks = log.read(behind->reached.position.next(), kReadBytes, false);
    if (!blocks || blocks->empty()) {
      behind->is_done = true;
      behind->refused =
          blocks ? Error{ErrorCode::io,
                         "the log must hold position " + std::to_string(durable_head.value) +
                             " but ends at " + std::to_string(log.tail().value),
                         std::string(behind->projector.projection_->name())}
                 : blocks.error();
      continue;
    }
    std::vector<base::Hash> hashes;
    for (std::size_t i = 0; i < blocks->size(); ++i) {
      if (i % kHashedAtOnce == 0) {
        const std::span rest = std::span(*blocks).subspan(i);
        hashes = eventlog::hashes_of(rest.first(std::min(rest.size(), kHashedAtOnce)));
      }
      const base::Hash& hash = hashes[i % kHashedAtOnce];
      if (!fold_block(batches, (*blocks)[i], hash, durable_head, events_max)) break;
    }
  }
  std::vector<Result<std::int64_t>> outcomes;
  outcomes.reserve(batches.size());
  for (Batch& batch : batches) outcomes.push_back(batch.projector.finish(batch));
  return outcomes;
}

Projector::Batch* Projector::furthest_behind(std::vector<Batch>& batches) {
  Batch* behind = nullptr;
  for (Batch& batch : batches) {
    if (batch.is_done) continue;
    if (behind == nullptr || batch.reached.position < behind->reached.position) behind = &batch;
  }
  return behind;
}

// Gives the block to all that stand right before it; decodes it once for those with the same
// history. Returns false if nobody takes the rest of the page.
bool Projector::fold_block(std::vector<Batch>& batches, const eventlog::StoredBlock& stored,
                           const base::Hash& hash, Position durable_head, std::size_t events_max) {
  const Position behind = furthest_behind(batches)->reached.position;
  const auto block = eventlog::parse_block(stored.facts);
  std::optional<Result<FollowingBlock>> following;
  std::optional<Checkpoint> decoded_from;
  for (Batch& batch : batches) {
    if (batch.is_done) continue;
    // A projector that is ahead has had the block, or gets it when it is the one furthest behind.
    if (batch.reached.position > behind &&
        (!block || block->header.last() <= batch.reached.position)) {
      continue;
    }
    if (block && block->header.last() > durable_head) {
      batch.is_done = true;  // the head lies inside this block: it is not durable yet
      continue;
    }
    // The whole block is decoded before any of it is folded: rows never hold half a block.
    if (!following || decoded_from != batch.reached) {
      decoded_from = batch.reached;
      following = block ? follow(batch.reached, *block, hash) : tl::unexpected(block.error());
    }
    if (!*following) {
      batch.failed = following->error();
      batch.is_done = true;
      continue;
    }
    const FollowingBlock& block_read = **following;
    for (std::size_t i = 0; i < block_read.events.size(); ++i) {
      batch.projector.projection_->apply(block_read.events[i], block_read.streams[i], batch.rows);
    }
    batch.reached = (*following)->reached;
    batch.is_done = batch.reached.position >= durable_head ||
                    static_cast<std::size_t>(batch.folded()) >= events_max;
  }
  // The page was read for the one furthest behind; now another one, elsewhere, can be that.
  const Batch* next = furthest_behind(batches);
  return next != nullptr && block && next->reached.position == block->header.last();
}

Result<std::int64_t> Projector::finish(Batch& batch) {
  if (stopped_) return tl::unexpected(*stopped_);
  if (batch.refused) return tl::unexpected(*batch.refused);
  const std::int64_t events = batch.folded();
  if (events > 0) {
    if (const auto& error = batch.rows.error()) {
      return tl::unexpected(is_final(*error) ? stop(*error) : *error);
    }
    if (auto ok = store(batch.rows, batch.reached); !ok) return tl::unexpected(ok.error());
  }
  if (batch.failed) return tl::unexpected(stop(*batch.failed));
  return events;
}

Result<void> Projector::rebuild() {
  // The checkpoint goes first: rows without one are removed at the next start, so a kill in here
  // leaves no rows that would pass for those of a beginning.
  eventlog::WriteBatch batch;
  batch.remove(checkpoint_key(projection_->name()));
  const Bytes prefix = Bytes(projection_->name()) + '/';
  for (;;) {
    auto page = store_->scan(prefix, prefix, kRowsPage);
    if (!page) return tl::unexpected(page.error());
    for (eventlog::KeyValue& row : *page) batch.remove(std::move(row.key));
    if (auto ok = store_->write(batch); !ok) return ok;
    if (page->size() < kRowsPage) break;
    batch = {};
  }
  checkpoint_ = {};
  stopped_.reset();
  return {};
}

Result<void> Projector::stand_at(const Checkpoint& checkpoint) {
  eventlog::WriteBatch batch;
  batch.put(checkpoint_key(projection_->name()),
            base::encode(StoredCheckpoint{checkpoint, projection_->schema()}));
  if (auto ok = store_->write(batch); !ok) return ok;
  checkpoint_ = checkpoint;
  return {};
}

Error Projector::stop(Error error) {
  if (error.code == ErrorCode::rows_damaged) {
    // Rows without a checkpoint are built anew at the next open().
    eventlog::WriteBatch batch;
    batch.remove(checkpoint_key(projection_->name()));
    static_cast<void>(store_->write(batch));
  }
  const std::string name(projection_->name());
  error.text =
      "projection " + name + " stops: " + error.text + "; check the log with steno replay verify";
  stopped_ = error;
  return error;
}

Result<void> Projector::store(Rows& rows, const Checkpoint& reached) {
  eventlog::WriteBatch batch;
  rows.move_into(batch);
  batch.put(checkpoint_key(projection_->name()),
            base::encode(StoredCheckpoint{reached, projection_->schema()}));
  auto written = store_->write(batch);
  if (written) checkpoint_ = reached;
  return written;
}

}  // namespace projections
