// What an anchor says of the rows: all projections and the states of all streams, folded from the
// log up to the anchor's position, and their digests; and how rows are built anew upon them once
// the log does not hold its beginning any more.
#pragma once

#include "eventlog/folder/archived_base.hpp"
#include "projections/projections.hpp"

namespace projections {

// Folds into `rows` what is still missing there up to `through`, the end of a block. Errors: those
// of Projector::catch_up; invalid when no block ends there.
Result<eventlog::Anchor> fold_anchor(eventlog::BlockStore& log, Position through,
                                     eventlog::KeyValueStore& rows);

// Whether the base's rows are those that its anchor names, and such as this release folds. Errors:
// damaged, wrong_log.
Result<bool> check_anchored_rows(const eventlog::LogBase& base);

// Rows that fold_anchor() made: those of the base, where they are as its anchor says and of this
// release's schemas. Else they are folded anew from the archives, if these are where they were when
// they were made. Errors: damaged when the base's rows are missing or not those that its anchor
// names, and wrong_log when they are of another release, each saying why the archives were of no
// help.
Result<std::unique_ptr<eventlog::KeyValueStore>> open_anchored_rows(eventlog::LogBase base);

// Whether a projection's rows, as they are stored, can go on in a log that begins behind `begin`.
Result<bool> can_go_on(eventlog::KeyValueStore& rows, const Projection& projection, Position begin);

// Replaces the rows of one projection by those that fold_anchor() made, checkpoint included. Done
// again, also after a part of it, it has the same outcome.
Result<bool> copy_anchored_rows(eventlog::KeyValueStore& from, const Projection& projection,
                                eventlog::KeyValueStore& to);

// All that fold_anchor() made, to be gone on from.
Result<bool> copy_all_anchored_rows(eventlog::KeyValueStore& from, eventlog::KeyValueStore& to);

// Writes the states of all streams as snapshots, as far as there are no newer ones, and then that
// it was done for a log that begins behind `begin`.
Result<bool> copy_anchored_streams(eventlog::KeyValueStore& from, eventlog::KeyValueStore& index,
                                   Position begin);
Result<bool> has_anchored_streams(eventlog::KeyValueStore& index, Position begin);

}  // namespace projections
