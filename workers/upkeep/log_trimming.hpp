// What archiving the log's beginning does to the disk, in two steps: the copy, and the rows that
// are kept in its place; then, once that is on the record, the log without it. Each can be done
// again.
#pragma once

#include "eventlog/log/stream_index.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace workers {

struct LogTrimming {
  eventlog::BlockStore& log;
  eventlog::StreamIndex& index;
  eventlog::LogFolder root;  // of the log
  eventlog::Disk& disk = eventlog::system_disk();

  // Chooses where the archive is to end: behind as many blocks as the order allows, and as nobody
  // needs. Folds the rows there, copies, and proves the copy. On an error nothing is left. Errors:
  // invalid when there is nothing to archive, saying why; those of make_archive and fold_anchor.
  base::Result<MadeArchive> archive(const ArchiveOrder& order, const base::SigningKey& key) const;

  // Puts the rows in their place, durably, and only then trims; rows that are missing are folded
  // anew. `index_rows`: of the index and of snapshots, which must come to where the log begins
  // then. Errors: those of trim_log; damaged when rows folded anew are not those of the anchor.
  base::Result<bool> trim(const TrimOrder& order, eventlog::KeyValueStore& index_rows) const;

  // Folds all projections and the states of all streams into new rows in the folder, upon those
  // that were kept when the log was trimmed last. Errors: those of fold_anchor and
  // open_anchored_rows.
  base::Result<eventlog::Anchor> fold(Position end, const std::string& folder) const;

  // What a server that was killed while it made an archive may have left.
  void remove_left_over(const std::string& folder) const;

 private:
  base::Result<eventlog::Checkpoint> choose_end(const ArchiveOrder& order) const;
  base::Result<domain::MadeAnchor> find_anchor(const TrimOrder& order) const;
  base::Result<eventlog::Anchor> fold_part(Position end) const;
  base::Result<bool> fold_missing(const eventlog::Anchor& anchor) const;
  std::string part_of(Position end) const { return root.base(end) + ".new"; }
};

}  // namespace workers
