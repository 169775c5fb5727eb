// Archives the log's beginning on the disk, in two steps. The first makes the copy, and the rows
// that are kept in its place. The second, once the first is recorded, removes the blocks from the
// log. Each step can be repeated.
#pragma once

#include "eventlog/log/stream_index.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace workers {

struct LogTrimming {
  eventlog::BlockStore& log;
  eventlog::StreamIndex& index;
  eventlog::LogFolder root;  // of the log
  eventlog::Disk& disk = eventlog::system_disk();

  // Chooses the archive's end: behind as many blocks as the order allows and no live session needs.
  // Folds the rows there, copies the log, and proves the copy. On an error nothing is left. Errors:
  // invalid when there is nothing to archive, saying why; those of make_archive and fold_anchor.
  base::Result<MadeArchive> archive(const ArchiveOrder& order, const base::SigningKey& key) const;

  // Puts the rows in their place, durably, and only then trims; missing rows are folded anew.
  // `index_rows` holds the index and snapshots, which are first brought to the log's new beginning.
  // Errors: those of trim_log; damaged when rows folded anew are not those of the anchor.
  base::Result<void> trim(const TrimOrder& order, eventlog::KeyValueStore& index_rows) const;

  // Folds all projections and the states of all streams into new rows in the folder, upon the rows
  // that the last trim kept. Errors: those of fold_anchor and open_anchored_rows.
  base::Result<eventlog::Anchor> fold(Position end, const std::string& folder) const;

  // Removes what a server that was killed while it made an archive can have left.
  void remove_left_over(const std::string& folder) const;

 private:
  base::Result<eventlog::Checkpoint> choose_end(const ArchiveOrder& order) const;
  base::Result<domain::MadeAnchor> find_anchor(const TrimOrder& order) const;
  base::Result<eventlog::Anchor> fold_part(Position end) const;
  base::Result<void> fold_missing(const eventlog::Anchor& anchor) const;
  std::string part_of(Position end) const { return root.base(end) + ".new"; }
};

}  // namespace workers
