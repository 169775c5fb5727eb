// Rows are folded into <base>.new, the archive is copied and its anchor recorded; the trim renames
// the folder to the base, gives the index its states, and removes the blocks.
#include "workers/upkeep/log_trimming.hpp"

#include "eventlog/base/list_files.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/log/log_reader.hpp"
#include "projections/anchored_rows.hpp"
#include "projections/start/anchored_states.hpp"

namespace workers {

using base::ErrorCode;
using base::failure;
using base::Result;

namespace {

struct Limit {
  Position through;    // the last position that can be archived
  std::string reason;  // why
};

// Returns the stream in words with which a person finds it.
std::string text_of(const domain::StreamRef& stream) {
  std::string text(domain::noun_of(stream));
  if (stream.id.is_set()) text += " " + stream.id.text();
  return stream.agent.empty() ? text : text + " of agent " + stream.agent;
}

Result<Limit> limit_of(const ArchiveOrder& order, eventlog::StreamIndex& index) {
  const auto indexed = index.position();
  if (!indexed) return tl::unexpected(indexed.error());
  // Events behind the index's position can belong to any stream, so none of them is archived.
  Limit limit{std::min(*indexed, order.durable), "the log ends there"};
  if (order.before.value > 0 && order.before.plus(-1) < limit.through) {
    limit = {order.before.plus(-1), "the request ends there"};
  }
  for (const NeededEvents& needed : order.needed) {
    if (needed.from > limit.through) continue;
    limit = {needed.from.plus(-1), text_of(needed.stream) + " is not over, and begins behind it"};
  }
  return limit;
}

}  // namespace

Result<eventlog::Checkpoint> LogTrimming::choose_end(const ArchiveOrder& order) const {
  const auto limit = limit_of(order, index);
  if (!limit) return tl::unexpected(limit.error());
  eventlog::Checkpoint end;
  bool is_reached = false;
  for (Position next = log.first(); !is_reached && next <= limit->through;) {
    const auto blocks = log.read(next, eventlog::kScanBytes, false);
    if (!blocks) return tl::unexpected(blocks.error());
    if (blocks->empty()) break;
    for (const eventlog::StoredBlock& stored : *blocks) {
      const auto block = eventlog::parse_block(stored.facts);
      if (!block) return tl::unexpected(block.error());
      const eventlog::BlockHeader& header = block->header;
      const bool is_young = order.before_time.us > 0 && header.time >= order.before_time;
      is_reached = is_young || header.last() > limit->through;
      if (is_reached) break;
      end = {header.log, header.epoch, header.last(), block->hash()};
      next = header.last().next();
    }
  }
  // The last block stays, so that the log is never empty again.
  if (end.position.value > 0 && end.position < log.tail()) return end;
  return failure(ErrorCode::invalid, "there is nothing to archive: no event before position " +
                                         std::to_string(limit->through.value + 1) +
                                         " is old enough (" + limit->reason +
                                         "), or it shares a block with younger ones");
}

Result<eventlog::Anchor> LogTrimming::fold(Position end, const std::string& folder) const {
  const auto rows = eventlog::open_rocksdb_key_value_store(folder, disk);
  if (!rows) return tl::unexpected(rows.error());
  auto base = eventlog::read_base(root, log);
  if (!base) return tl::unexpected(base.error());
  if (*base) {
    const auto kept = projections::open_anchored_rows(std::move(**base));
    if (!kept) return tl::unexpected(kept.error());
    if (auto ok = projections::copy_all_anchored_rows(**kept, **rows); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  auto anchor = projections::fold_anchor(log, end, **rows);
  if (auto ok = (*rows)->flush(); !ok) return tl::unexpected(ok.error());
  return anchor;
}

Result<MadeArchive> LogTrimming::archive(const ArchiveOrder& order,
                                         const base::SigningKey& key) const {
  const auto end = choose_end(order);
  if (!end) return tl::unexpected(end.error());
  auto anchor = fold_part(end->position);
  if (!anchor) return tl::unexpected(anchor.error());
  anchor->made = order.wall;
  const auto made = eventlog::make_archive(log, root, *end, order.folder, disk);
  if (made) return MadeArchive{*made, eventlog::sign_anchor(*anchor, key)};
  disk.remove_all(part_of(end->position));
  return tl::unexpected(made.error());
}

// Makes the rows that the log will begin with, durably, in a folder that is not yet a base.
Result<eventlog::Anchor> LogTrimming::fold_part(Position end) const {
  const std::string part = part_of(end);
  disk.remove_all(part);
  for (const std::string& folder : {root.bases(), part}) {
    if (auto made = disk.make_folder(folder); !made) return tl::unexpected(made.error());
  }
  auto anchor = fold(end, part + "/rows");
  Result<void> synced = anchor ? eventlog::sync_all(part + "/rows", disk) : Result<void>();
  for (const std::string& folder : {part, root.bases(), root.root}) {
    if (anchor && synced) synced = disk.sync_folder(folder);
  }
  if (!synced) anchor = tl::unexpected(synced.error());
  if (!anchor) disk.remove_all(part);
  return anchor;
}

// A copy of the log made after the archive and before the trim has no such rows: folds them.
Result<void> LogTrimming::fold_missing(const eventlog::Anchor& anchor) const {
  const Position end = anchor.at.position;
  if (!eventlog::is_gone(part_of(end)) || !eventlog::is_gone(root.base(end))) return {};
  if (log.first() > end) return {};
  const auto folded = fold_part(end);
  if (!folded) return tl::unexpected(folded.error());
  if (folded->at == anchor.at && folded->rows == anchor.rows) return {};
  disk.remove_all(part_of(end));
  return failure(ErrorCode::damaged,
                 "the rows that the log adds up to are not those that the anchor names",
                 "position " + std::to_string(end.value));
}

// Finds the anchor, which is behind the archive's end and before its ArchiveCompleted.
Result<domain::MadeAnchor> LogTrimming::find_anchor(const TrimOrder& order) const {
  const Position from = std::max(order.recorded, order.through.next());
  auto made = eventlog::find_anchor(log, order.through, from);
  if (!made) return tl::unexpected(made.error());
  if (*made) return std::move(**made);
  return failure(ErrorCode::not_found, "no anchor of the archive's end is on the record",
                 "position " + std::to_string(order.through.value));
}

Result<void> LogTrimming::trim(const TrimOrder& order, eventlog::KeyValueStore& index_rows) const {
  const auto made = find_anchor(order);
  if (!made) return tl::unexpected(made.error());
  const auto anchor = eventlog::open_anchor(made->anchor);
  if (!anchor) return tl::unexpected(anchor.error());
  if (auto ok = eventlog::finish_archive(order.folder, disk); !ok) return ok;
  if (auto ok = fold_missing(*anchor); !ok) return ok;
  const std::string base = root.base(order.through);
  const std::string part = part_of(order.through);
  if (!eventlog::is_gone(part)) {
    const eventlog::BaseFile file{made->anchor, made->recorded, order.name, order.folder};
    if (auto ok = eventlog::write_base_file(part, file, disk); !ok) return ok;
    disk.remove_all(base);
    if (auto ok = disk.rename(part, base); !ok) return ok;
  }
  for (const std::string& folder : {root.bases(), root.root}) {
    if (auto ok = disk.sync_folder(folder); !ok) return ok;
  }
  const auto rows = eventlog::open_rocksdb_key_value_view(base + "/rows");
  if (!rows) return tl::unexpected(rows.error());
  const std::uint64_t generation = index_rows.generation();
  auto copied = projections::copy_anchored_streams(**rows, index_rows, order.through);
  if (!copied) return copied;
  // A trimmed log cannot prove an index that ends before its first block, so the index is flushed
  // first.
  if (auto ok = index_rows.flush(); !ok) return ok;
  if (auto ok = eventlog::trim_log(log, anchor->at, order.folder); !ok) return ok;
  if (index_rows.generation() != generation) {
    // The index was built anew meanwhile, possibly upon the base before this one.
    copied = projections::copy_anchored_streams(**rows, index_rows, order.through);
    if (!copied) return copied;
  }
  // The bases of earlier trims are in the archives.
  const auto bases = base::list_files(root.bases());
  if (!bases) return tl::unexpected(bases.error());
  for (const base::ListedFile& entry : *bases) {
    if (entry.path != base) disk.remove_all(entry.path);
  }
  return {};
}

void LogTrimming::remove_left_over(const std::string& folder) const {
  // A log that cannot be read had nothing archived.
  if (const auto tail = eventlog::read_tail(log)) {
    eventlog::remove_archive(folder, tail->log, disk);
  }
  // If the folder cannot be listed they stay: the next trim removes them, or says why it cannot.
  for (const base::ListedFile& entry :
       base::list_files(root.bases()).value_or(std::vector<base::ListedFile>())) {
    if (entry.extension() == ".new") disk.remove_all(entry.path);
  }
}

}  // namespace workers
