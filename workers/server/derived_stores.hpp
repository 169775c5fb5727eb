// What a server derives from its log and keeps beside it: the stream index and snapshots that
// commands are decided with, what it takes over from the server before it, and the projections that
// queries are answered from. Opened here for the server's process and for the simulator alike.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "eventlog/folder/archived_base.hpp"
#include "eventlog/log/sequencer.hpp"
#include "eventlog/log/snapshot_store.hpp"
#include "eventlog/log/stream_index.hpp"
#include "projections/start/startup_rows.hpp"
#include "workers/queries/query_service.hpp"

namespace workers {

// Which rows are built anew ("index", "views"), and why.
using RowsRebuilt = std::function<void(std::string_view rows, const base::Error& why)>;

struct DerivedStoresOptions {
  // Of a log whose beginning was archived: what stands before it, or is lost, is built upon its
  // rows. Called by the opening, and by the thread of the queries whenever rows are built anew.
  std::function<base::Result<std::optional<eventlog::LogBase>>()> read_base;
  // Called by the same.
  RowsRebuilt on_rebuilt;
};

struct DerivedStores {
  explicit DerivedStores(eventlog::KeyValueStore& index_rows)
      : index(index_rows), snapshots(index_rows) {}

  eventlog::StreamIndex index;
  eventlog::SnapshotStore snapshots;
  projections::Takeover takeover;  // as of the log's tail; for the server to move from
  std::unique_ptr<QueryService> service;
};

// On return the index has come to `tail`, which the loading of streams relies on: what is appended
// later is in memory. Rows that are damaged, or of another history, are built anew from the log; so
// are those in which the service meets damage later. All references outlive the result. Errors:
// damaged where rows hold more of this history than the log does, which is then not to be written
// to; those of the stores; those of open_anchored_rows.
base::Result<std::unique_ptr<DerivedStores>> open_derived_stores(
    eventlog::BlockStore& log, const eventlog::LogTail& tail, eventlog::KeyValueStore& index_rows,
    eventlog::KeyValueStore& view_rows, DerivedStoresOptions options = {});

}  // namespace workers
