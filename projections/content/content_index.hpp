// Port: an index over the log's events and their texts, such as one that finds words. It is the
// other kind of projection: one that reads content, so its rows must go when a text is erased. It
// has a folder and a store of its own, of any make. No digest, anchor, backup or archive holds it,
// and it can be thrown away and built anew from the texts that the log still has.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_ref.hpp"
#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/store/disk.hpp"
#include "projections/fold/projector.hpp"

namespace projections {

// Used by one thread at a time. All changes are made in batches, which begin() begins and commit()
// stores; one holds events or erasures, never both. However the process ends, the store then holds
// a beginning of the batches that were committed. Error rows_damaged: the store cannot be trusted
// any more, and is removed. After any other error begin() forgets the batch.
class ContentIndex {
 public:
  virtual ~ContentIndex() = default;

  // Returns what the last commit() stored; none: nothing was.
  virtual Result<std::optional<StoredCheckpoint>> checkpoint() = 0;

  virtual Result<void> begin() = 0;
  // Adds one event; each is given once, in order, with its content unless it has none or that was
  // erased. `stream` is null if its stream is no aggregate's. The same events must give the same
  // rows, whatever the batches.
  virtual Result<void> apply(const domain::RecordedEvent& event,
                             const domain::StreamRef* stream) = 0;
  // Removes all that follows from the contents of these events of the stream, as far as they were
  // applied.
  virtual Result<void> erase(std::string_view stream, const domain::VersionRanges& events) = 0;
  // Stores the batch and the checkpoint, both or neither.
  virtual Result<void> commit(const StoredCheckpoint& reached) = 0;

  // On return no file of the store holds what a committed batch has erased, not even after a loss
  // of power.
  virtual Result<void> scrub() = 0;
};

struct ContentIndexKind {
  std::string_view name;  // of its folder: lower-case letters and '_'
  // Changes whenever the same events would give other rows. An index of another schema is removed
  // and built anew.
  std::int64_t schema = 1;
  // Opens the index in its folder, which can be empty. Error rows_damaged: the folder holds
  // something else.
  Result<std::unique_ptr<ContentIndex>> (*open)(const std::string& folder, eventlog::Disk& disk);
};

}  // namespace projections
