// The disk of a simulated world: log, head file and derived rows, each with the operating system's
// view and the durable part. A killed process loses nothing that it wrote. A loss of power keeps
// everything synced, and any beginning of the rest.
//
// Everything that an opened store shows is durable, since eventlog's open_log syncs what it finds.
// So a block that a killed server wrote and did not sync becomes durable when the next server opens
// the log.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "eventlog/base/random.hpp"
#include "eventlog/log/committer.hpp"
#include "eventlog/store/memory_store.hpp"
#include "tests/simulation/counts.hpp"
#include "tests/simulation/schedule.hpp"
#include "tests/simulation/sim_clock.hpp"
#include "tests/support/forwarding_rows.hpp"

namespace simulation {

class SimDisk;

// The log; every event that it shows is durable.
class SimLog final : public eventlog::BlockStore {
 public:
  explicit SimLog(SimDisk& disk) : disk_(disk) {}

  eventlog::AppendOutcome append(const eventlog::SealedBlock& block) override;
  base::Position first() const override { return durable_.first(); }
  base::Position tail() const override { return durable_.tail(); }
  base::Result<std::vector<eventlog::StoredBlock>> read(base::Position from, std::size_t bytes_max,
                                                        bool with_content) override {
    return durable_.read(from, bytes_max, with_content);
  }
  base::Result<std::vector<eventlog::StoredBlock>> read_reverse(base::Position from,
                                                                std::size_t bytes_max) override {
    return durable_.read_reverse(from, bytes_max);
  }
  base::Result<base::Bytes> read_chunk(base::ByteView key) override {
    return durable_.read_chunk(key);
  }
  base::Result<void> replace_content(base::Position first, base::ByteView content) override;
  base::Result<void> erase_chunks(base::ByteView prefix) override {
    return durable_.erase_chunks(prefix);
  }
  base::Result<void> scrub(const eventlog::ScrubScope& scope) override;
  base::Result<void> copy_to(const std::string& folder) override {
    return durable_.copy_to(folder);
  }
  base::Result<void> trim_before(base::Position position) override {
    return durable_.trim_before(position);
  }

  // Keeps a block that was written and not synced, and whose writer is gone.
  void leave(eventlog::SealedBlock block) { left_ = std::move(block); }
  // True if contents were replaced that a loss of power can still bring back.
  bool has_unscrubbed() const { return !replaced_.empty(); }
  // A server opens the log: an unsynced block is synced now.
  void open();
  // Loses power; replaced contents can come back. True if a block was lost.
  bool lose_power(base::Random& random);
  // After `count` more replacements and scrubs, all later ones fail, as for a dead process;
  // nullopt: none fails.
  void stop_erasing_after(std::optional<std::size_t> count) { erasing_left_ = count; }

 private:
  base::Result<void> may_erase();

  SimDisk& disk_;
  eventlog::MemoryStore durable_;
  std::map<base::Position, base::Bytes> replaced_;  // the old content, until it is scrubbed
  std::optional<std::size_t> erasing_left_;
  std::optional<eventlog::SealedBlock> left_;
};

// Rows as RocksDB keeps them without syncs: a loss of power leaves a beginning of all batches.
class SimRows final : public support::ForwardingRows {
 public:
  explicit SimRows(SimDisk& disk) : disk_(disk) {}

  base::Result<void> write(const eventlog::WriteBatch& batch) override;
  base::Result<void> clear() override;

  bool lose_power(base::Random& random);

 private:
  SimDisk& disk_;
  std::vector<std::optional<eventlog::WriteBatch>> batches_;  // every batch; nullopt: a clear()
};

class SimDisk {
 public:
  // Both outlive the disk.
  SimDisk(const VirtualTime& time, Counts& counts) : time_(time), counts_(counts) {}

  SimLog& log() { return log_; }
  SimRows& index_rows() { return index_rows_; }
  SimRows& view_rows() { return view_rows_; }
  // Returns the newest head that a reader finds.
  std::optional<eventlog::Checkpoint> head() const;
  base::Result<void> write_head(const eventlog::Checkpoint& head);

  // A server opens all stores. False: the disk is full.
  bool open();
  void lose_power(base::Random& random);

  // Makes the next operation of that kind fail: fail_write, tear_write, fail_sync, fail_head,
  // fail_rows.
  void arm(FaultKind kind) { armed_.insert(kind); }
  void fill(Duration until) { full_until_ = until; }
  // Ends all faults.
  void heal();
  bool is_full() const { return time_.now < full_until_; }

  // True if that fault was armed; it fires once.
  bool fires(FaultKind kind);
  Counts& counts() { return counts_; }

 private:
  struct HeadWrite {
    Duration at{0};
    eventlog::Checkpoint head;
  };

  const VirtualTime& time_;
  Counts& counts_;
  SimLog log_{*this};
  SimRows index_rows_{*this};
  SimRows view_rows_{*this};
  std::vector<HeadWrite> heads_;  // the last synced one, and later writes
  std::set<FaultKind> armed_;
  Duration full_until_{0};
};

// Commits after some time. A kill before that leaves the block written or not. A kill after the
// sync leaves the head file written or not.
class SimCommitter final : public eventlog::Committer {
 public:
  SimCommitter(SimDisk& disk, const VirtualTime& time, base::Random& random)
      : disk_(disk), time_(time), random_(random) {}

  bool is_idle() const override { return !block_; }
  void submit(eventlog::SealedBlock block) override;
  std::optional<eventlog::CommitOutcome> poll() override;
  // Returns when the block in flight becomes durable; nothing if there is none.
  std::optional<Duration> due() const;
  void kill();

 private:
  class Head final : public eventlog::HeadFile {
   public:
    explicit Head(SimDisk& disk) : disk_(disk) {}
    base::Result<void> write(const eventlog::Checkpoint& head) override {
      return disk_.write_head(head);
    }

   private:
    SimDisk& disk_;
  };

  SimDisk& disk_;
  const VirtualTime& time_;
  base::Random& random_;
  Head head_{disk_};
  std::optional<eventlog::SealedBlock> block_;
  Duration written_{0};
  Duration due_{0};
};

}  // namespace simulation
