// The stores that a server derives from its log and keeps beside it. They are the stream index and
// snapshots that commands are decided with, the takeover rows, and the projections that queries
// read, and the content indexes. The server's process and the simulator both open them here.
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

// Told which rows are built anew ("index", "views", "content/words"), and why. Any thread calls it.
using RowsRebuilt = std::function<void(std::string_view rows, const base::Error& why)>;

struct DerivedStoresOptions {
  // Reads the base of a log whose beginning was archived; rows of what is before it, or lost, are
  // built upon the base's. Called while opening, and by the thread of the queries whenever rows are
  // built anew.
  std::function<base::Result<std::optional<eventlog::LogBase>>()> read_base;
  // Called by the same.
  RowsRebuilt on_rebuilt;
  // Opens an archive for queries, on their thread; none: what was archived is not read.
  OpenArchive open_archive{};
  std::vector<std::string> archive_folders{};  // as QueryServiceOptions has them
  std::string content_folder{};                // of the content indexes; empty: there are none
};

struct DerivedStores {
  explicit DerivedStores(eventlog::KeyValueStore& index_rows)
      : index(index_rows), snapshots(index_rows) {}

  eventlog::StreamIndex index;
  eventlog::SnapshotStore snapshots;
  std::unique_ptr<projections::ContentSet> contents;  // null: there are no content indexes
  projections::Takeover takeover;  // as of the log's tail; the server moves it out
  std::unique_ptr<QueryService> service;
};

// Opens the stores. On return the index has reached `tail`, which the loading of streams relies on:
// events appended later are in memory. Rows that are damaged, or of another history, are built anew
// from the log, and so are rows in which the service meets damage later. All references must
// outlive the result. Errors: damaged if rows hold more of this history than the log does, which
// must then not be written to; those of the stores; those of open_anchored_rows.
base::Result<std::unique_ptr<DerivedStores>> open_derived_stores(
    eventlog::BlockStore& log, const eventlog::LogTail& tail, eventlog::KeyValueStore& index_rows,
    eventlog::KeyValueStore& view_rows, DerivedStoresOptions options = {});

}  // namespace workers
