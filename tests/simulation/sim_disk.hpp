// The disk of a simulated world: log, head file and derived rows, each with what the operating
// system has and what has reached the disk. A process that is killed loses nothing that it wrote;
// a loss of power keeps what was synced and any beginning of the rest.
//
// What an opened store shows is durable (that is the contract of eventlog's open_log, which syncs
// what it finds); so a block that was written and not synced by a killed server becomes durable
// when the next one opens the log.
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

// The log: everything that it shows is durable.
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
  base::Result<bool> replace_content(base::Position first, base::ByteView content) override;
  base::Result<bool> erase_chunks(base::ByteView prefix) override {
    return durable_.erase_chunks(prefix);
  }
  base::Result<bool> scrub(const eventlog::ScrubScope& scope) override;
  base::Result<bool> copy_to(const std::string& folder) override {
    return durable_.copy_to(folder);
  }
  base::Result<bool> trim_before(base::Position position) override {
    return durable_.trim_before(position);
  }
  eventlog::DurabilityClass durability() const override { return durable_.durability(); }

  // Written, not synced, and its writer is gone.
  void leave(eventlog::SealedBlock block) { left_ = std::move(block); }
  bool has_left() const { return left_.has_value(); }
  // Contents were replaced, and a loss of power may bring them back.
  bool has_unscrubbed() const { return !replaced_.empty(); }
  // As a server finds it: what was left is synced now.
  void open();
  // True when something was lost: of blocks, and of what was taken out of them.
  bool lose_power(base::Random& random);
  // So many more contents are replaced or scrubbed, and then whoever does it is dead; none: nobody
  // dies.
  void stop_erasing_after(std::optional<std::size_t> count) { erasing_left_ = count; }

 private:
  base::Result<bool> may_erase();

  SimDisk& disk_;
  eventlog::MemoryStore durable_;
  std::map<base::Position, base::Bytes> replaced_;  // what was there, until it is scrubbed
  std::optional<std::size_t> erasing_left_;
  std::optional<eventlog::SealedBlock> left_;
};

// Rows as RocksDB keeps them without syncing: after a loss of power some beginning of all batches.
class SimRows final : public support::ForwardingRows {
 public:
  explicit SimRows(SimDisk& disk) : disk_(disk) {}

  base::Result<bool> write(const eventlog::WriteBatch& batch) override;
  base::Result<bool> clear() override;

  bool lose_power(base::Random& random);

 private:
  SimDisk& disk_;
  std::vector<std::optional<eventlog::WriteBatch>> batches_;  // all; none: a clear()
};

class SimDisk {
 public:
  // Both outlive the disk.
  SimDisk(const VirtualTime& time, Counts& counts) : time_(time), counts_(counts) {}

  SimLog& log() { return log_; }
  SimRows& index_rows() { return index_rows_; }
  SimRows& view_rows() { return view_rows_; }
  // The newest head that a reader finds.
  std::optional<eventlog::Checkpoint> head() const;
  base::Result<bool> write_head(const eventlog::Checkpoint& head);

  // A server opens everything. False: the disk is full.
  bool open();
  void lose_power(base::Random& random);

  // The next operation of that kind fails: fail_write, tear_write, fail_sync, fail_head, fail_rows.
  void arm(FaultKind kind) { armed_.insert(kind); }
  void fill(Duration until) { full_until_ = until; }
  // Nothing fails any more.
  void heal();
  bool is_full() const { return time_.now < full_until_; }

  // Whether that fault was armed; it fires once.
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
  std::vector<HeadWrite> heads_;  // the last one synced, and what was written since
  std::set<FaultKind> armed_;
  Duration full_until_{0};
};

// The disk takes its time. Killed on the way, a block was written or was not; killed when it was
// durable, the head file was written or was not.
class SimCommitter final : public eventlog::Committer {
 public:
  SimCommitter(SimDisk& disk, const VirtualTime& time, base::Random& random)
      : disk_(disk), time_(time), random_(random) {}

  bool is_idle() const override { return !block_; }
  void submit(eventlog::SealedBlock block) override;
  std::optional<eventlog::CommitOutcome> poll() override;
  // When the block on its way is durable; none: there is none.
  std::optional<Duration> due() const;
  void kill();

 private:
  class Head final : public eventlog::HeadFile {
   public:
    explicit Head(SimDisk& disk) : disk_(disk) {}
    base::Result<bool> write(const eventlog::Checkpoint& head) override {
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
