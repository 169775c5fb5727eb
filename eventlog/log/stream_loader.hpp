// Loads the state of a cold stream: the deciding thread asks, and another thread reads the disk.
#pragma once

#include <deque>
#include <memory>

#include "eventlog/log/snapshot_store.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

// Returns the state of a stream from its snapshot and the events behind it, as far as the index has
// come. A name without events gives the empty state at version 0. Errors: rows_damaged, which the
// index notes; damaged; busy while the index is rebuilt; invalid when it is not the name of a
// stream; the store's.
Result<LoadedStream> load_stream(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots,
                                 const std::string& stream);

// Saves the state as a snapshot, if the index has come as far. The index's checkpoint then proves
// by the log's own hash that the snapshot is of this history. Returns false if it was not saved.
bool save_stream(StreamIndex& index, SnapshotStore& snapshots, const std::string& stream,
                 const LoadedStream& loaded);

struct LoadOutcome {
  std::string stream;
  Result<LoadedStream> loaded;
};

struct SaveOutcome {
  std::string stream;
  bool is_saved = false;
};

// Port. Used by one thread.
class StreamLoader {
 public:
  virtual ~StreamLoader() = default;
  virtual void request(const std::string& stream) = 0;
  // Saves the state so that the stream can be evicted; the outcome comes from poll_saved().
  virtual void save(const std::string& stream, LoadedStream loaded) = 0;
  // An outcome can wait behind those of the other kind that came before it, so call both.
  virtual std::optional<LoadOutcome> poll() = 0;
  virtual std::optional<SaveOutcome> poll_saved() = 0;
  // Readable while either poll has something; -1 when there is no such descriptor.
  virtual int wake_fd() const { return -1; }
};

// Loads within poll(), on the caller's thread.
class InlineLoader final : public StreamLoader {
 public:
  InlineLoader(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots)
      : store_(store), index_(index), snapshots_(snapshots) {}
  void request(const std::string& stream) override { wanted_.push_back(stream); }
  void save(const std::string& stream, LoadedStream loaded) override;
  std::optional<LoadOutcome> poll() override;
  std::optional<SaveOutcome> poll_saved() override;

 private:
  BlockStore& store_;
  StreamIndex& index_;
  SnapshotStore& snapshots_;
  std::deque<std::string> wanted_;
  std::deque<SaveOutcome> saved_;
};

// Loads and saves on a thread of its own.
std::unique_ptr<StreamLoader> make_thread_loader(BlockStore& store, StreamIndex& index,
                                                 SnapshotStore& snapshots);

}  // namespace eventlog
