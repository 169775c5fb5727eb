// Brings a cold stream's state into memory: the deciding thread asks, somebody else reads the disk.
#pragma once

#include <deque>
#include <memory>

#include "eventlog/log/snapshot_store.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

// The state of a stream from its snapshot and the events behind it, as far as the index has come.
// A name that has no events gives the empty state at version 0.
Result<LoadedStream> load_stream(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots,
                                 const std::string& stream);

// Keeps the state as a snapshot, where the index has come as far: the index's checkpoint then
// proves by the log's own hash that the snapshot is of this history. False: it was not kept.
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
  // Keeps the state, so that the stream may be forgotten; the outcome comes from poll_saved().
  virtual void save(const std::string& stream, LoadedStream loaded) = 0;
  // Outcomes may wait for those of the other kind that came before them: take both.
  virtual std::optional<LoadOutcome> poll() = 0;
  virtual std::optional<SaveOutcome> poll_saved() = 0;
  // Readable while one of the two has something; -1 when there is no such descriptor.
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
