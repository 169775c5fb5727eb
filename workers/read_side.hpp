// What a server derives from its log and keeps beside it: the stream index and snapshots that
// commands are decided with, what it takes over from the server before it, and the projections that
// queries are answered from. Opened here for the server's process and for the simulator alike.
#pragma once

#include <memory>
#include <string>

#include "eventlog/log_base.hpp"
#include "eventlog/sequencer.hpp"
#include "eventlog/snapshot_store.hpp"
#include "eventlog/stream_index.hpp"
#include "projections/takeover.hpp"
#include "workers/query_service.hpp"

namespace workers {

struct ReadSide {
  explicit ReadSide(eventlog::KeyValueStore& index_rows)
      : index(index_rows), snapshots(index_rows) {}

  eventlog::StreamIndex index;
  eventlog::SnapshotStore snapshots;
  projections::Takeover takeover;  // as of the log's tail; for the server to move from
  std::unique_ptr<QueryService> service;
  // Why the index was built anew from the whole log; empty: it was not.
  std::string rebuilt_because;
};

// On return the index has come to `tail`, which the loading of streams relies on: what is appended
// later is in memory. An index of another history is built anew, and so is what is taken over where
// its rows cannot be relied on. `base`: of a log whose beginning was archived; what stands before
// it, or is lost, is built upon its rows. All references outlive the result. Errors: those of the
// stores; wrong_log when a projection was built from another history; those of open_anchored_rows.
base::Result<std::unique_ptr<ReadSide>> open_read_side(eventlog::BlockStore& log,
                                                       const eventlog::LogTail& tail,
                                                       eventlog::KeyValueStore& index_rows,
                                                       eventlog::KeyValueStore& view_rows,
                                                       std::optional<eventlog::LogBase> base = {});

}  // namespace workers
