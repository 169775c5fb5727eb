// The rows that an anchor signs: all projections and the states of all streams, folded from the log
// up to the anchor's position, and their digests. Rows are built anew on top of them once the log
// no longer holds its beginning.
#pragma once

#include "eventlog/folder/archived_base.hpp"
#include "projections/projections.hpp"

namespace projections {

// Folds into `rows` what they lack up to `through`, the end of a block, and returns the anchor.
// Errors: those of Projector::catch_up; invalid when no block ends at `through`.
Result<eventlog::Anchor> fold_anchor(eventlog::BlockStore& log, Position through,
                                     eventlog::KeyValueStore& rows);

// Checks that the base's rows are those that its anchor names, and of the schemas that this release
// folds. Errors: damaged; wrong_log when they are of another release; the store's.
Result<void> check_anchored_rows(const eventlog::LogBase& base);

// Opens rows that fold_anchor() made: those of the base if check_anchored_rows() passes, else rows
// folded anew from the archives. The archives are found only in the folders where they were made.
// Errors: damaged when the base's rows are missing or not those that its anchor names; refused when
// they are of another release; the store's. Each says why the archives did not help.
Result<std::unique_ptr<eventlog::KeyValueStore>> open_anchored_rows(eventlog::LogBase base);

// True if the projection's stored rows can go on in a log that begins behind `begin`: their schema
// is this release's, and their checkpoint is not before `begin`.
Result<bool> can_go_on(eventlog::KeyValueStore& rows, const Projection& projection, Position begin);

// Replaces the rows of one projection by those that fold_anchor() made, checkpoint included.
// Idempotent, also after a part of it was done.
Result<void> copy_anchored_rows(eventlog::KeyValueStore& from, const Projection& projection,
                                eventlog::KeyValueStore& to);

// Does so for all rows that fold_anchor() made, so that folding can go on from them.
Result<void> copy_all_anchored_rows(eventlog::KeyValueStore& from, eventlog::KeyValueStore& to);

// Writes the states of all streams as snapshots, except where a snapshot is newer. Then notes in
// the index that this was done for a log that begins behind `begin`.
Result<void> copy_anchored_streams(eventlog::KeyValueStore& from, eventlog::KeyValueStore& index,
                                   Position begin);
Result<bool> has_anchored_streams(eventlog::KeyValueStore& index, Position begin);

}  // namespace projections
