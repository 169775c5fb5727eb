// The disk work of erasures and copies. A job takes the text that a ContentErased names out of the
// log's files and its copies, and finds ended sessions that were kept for long enough. Backups,
// archives and anchors are made here too, so that none is made during an erasure. It is slow and
// therefore behind a port: the server's loop hands it over and receives the outcome.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eventlog/base/one_thread.hpp"
#include "eventlog/copies/archive.hpp"
#include "eventlog/copies/backup.hpp"
#include "eventlog/copies/erasable_copy.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/key_value_store.hpp"
#include "projections/views/erasures.hpp"
#include "workers/upkeep/needed_events.hpp"

namespace workers {

using base::Position;

// How long the text of an ended session is kept after its end, by how it ended; 0: for ever.
struct KeepFor {
  base::Duration completed{0};
  base::Duration failed{0};
  base::Duration killed{0};
};

struct UpkeepOptions {
  KeepFor keep_for;
  std::string session_folder;             // of the sessions' private folders; empty: there are none
  std::optional<base::SigningKey> key{};  // the key that signs anchors
  std::string data_folder{};              // of the log
  eventlog::Disk& disk = eventlog::system_disk();
  // Copies of texts beside the log's own backups and archives; all outlive the jobs.
  std::vector<eventlog::ErasableCopy*> copies{};
};

struct BackupOrder {
  std::string name;
  std::string folder;
  Position begun;             // of its BackupBegun
  bool is_left_over = false;  // by a killed server: prove it, or remove it
  bool shares_files = false;  // with the log: see BackupOptions
};

struct BackupResult {
  BackupOrder order;
  base::Result<eventlog::BackupOutcome> outcome;
};

// Asks for an anchor of the log up to the end of a block.
struct AnchorOrder {
  Position through;
  base::Time wall;
};

struct AnchorResult {
  base::Result<eventlog::SignedAnchor> anchor;
};

// Asks for a copy of the log's beginning up to a point, and for an anchor of its end.
struct ArchiveOrder {
  std::string name;
  std::string folder;
  Position before;         // events from here on stay; 0: those from the time on
  base::Time before_time;  // log time
  Position durable;        // the last event that can be looked at
  base::Time wall;
  std::vector<NeededEvents> needed;  // the log keeps them
  bool is_left_over = false;         // by a killed server: only remove it
};

struct MadeArchive {
  eventlog::ArchiveOutcome outcome;
  eventlog::SignedAnchor anchor;
};

struct ArchiveResult {
  ArchiveOrder order;
  base::Result<MadeArchive> made;
};

// Asks to remove from the log the content of an archive that is recorded as whole.
struct TrimOrder {
  std::string name;
  std::string folder;
  Position through;   // the archive's last event
  Position recorded;  // position of the anchor's record; 0: it must be found
  // Set in an order that failed: some of the log is already removed.
  bool is_begun = false;
};

struct TrimResult {
  TrimOrder order;
  base::Result<void> done;
};

using Order = std::variant<BackupOrder, AnchorOrder, ArchiveOrder, TrimOrder>;

struct UpkeepJob {
  Position at_least;  // the position that the projections must have reached
  base::Time now;     // log time
  std::map<std::string, domain::NamedBackup> backups;
  std::map<std::string, domain::NamedArchive> archives{};
  std::optional<Order> order{};         // if set, only this and the next are done
  std::vector<base::SessionId> over{};  // sessions whose private folders are removed
};

struct UpkeepOutcome {
  // Sessions whose private folders could not be removed; it is to be tried again.
  std::vector<base::SessionId> kept_folders{};
  bool is_behind = false;  // the projections are behind: nothing was done
  bool has_more = false;   // more than one job takes, or that it did not look at
  // Erasures whose texts are in no file any more.
  std::vector<projections::PendingErasure> erased;
  // Texts that were kept for long enough and still exist.
  std::vector<projections::KeptContent> expired;
  // Why some of it was not done; it must be tried again.
  std::optional<base::Error> error;
  std::optional<BackupResult> backup;
  std::optional<AnchorResult> anchor;
  std::optional<ArchiveResult> archive;
  std::optional<TrimResult> trim;
};

// Streams of one job: few enough that later orders do not wait long, and enough that tables are not
// rewritten for each stream.
constexpr std::size_t kErasuresMax = 64;
// Failing erasures that are remembered. Others are tried again in their turn, without a pause of
// their own.
constexpr std::size_t kFailingMax = 4096;

struct LogTrimming;  // workers/upkeep/log_trimming.hpp

// Used by one thread.
class UpkeepJobs {
 public:
  // All references must outlive it.
  UpkeepJobs(eventlog::BlockStore& log, eventlog::StreamIndex& index,
             eventlog::KeyValueStore& views, UpkeepOptions options,
             eventlog::KeyValueStore* index_rows = nullptr)
      : log_(log),
        index_(index),
        views_(views),
        index_rows_(index_rows),
        options_(std::move(options)) {}

  UpkeepOutcome run(const UpkeepJob& job);

 private:
  using Wanted = eventlog::LaterErasure;
  using Unreached = std::vector<std::optional<base::Error>>;  // why, for each that is wanted

  base::Result<void> check_index(Position listed);
  void obey(const BackupOrder& order, UpkeepOutcome& outcome);
  void obey(const AnchorOrder& order, UpkeepOutcome& outcome);
  void obey(const ArchiveOrder& order, UpkeepOutcome& outcome);
  void obey(const TrimOrder& order, UpkeepOutcome& outcome);
  base::Result<eventlog::SignedAnchor> make_anchor(const AnchorOrder& order);
  LogTrimming trimming();
  base::Result<Wanted> erase(const projections::PendingErasure& pending,
                             eventlog::ScrubScope& scope);
  base::Result<void> reach_files(const UpkeepJob& job, const eventlog::ScrubScope& scope,
                                 const std::vector<Wanted>& wanted, UpkeepOutcome& outcome);
  static void reach(eventlog::ErasableCopy& copy, const std::vector<Wanted>& wanted,
                    Unreached& unreached, base::Result<void>& done);
  base::Result<void> remove_session_folder(const projections::PendingErasure& pending);
  base::Result<std::vector<projections::PendingErasure>> next_pending(base::Time now,
                                                                      bool& has_more);
  std::string who(const std::string& stream) const;
  void note_failure(const projections::PendingErasure& pending, base::Time now, base::Error why);
  std::optional<base::Error> failures() const;
  base::Result<void> remove_session_folder(base::SessionId session);
  void erase_pending(const UpkeepJob& job, UpkeepOutcome& outcome);
  void find_expired(base::Time now, UpkeepOutcome& outcome);

  eventlog::BlockStore& log_;
  eventlog::StreamIndex& index_;
  eventlog::KeyValueStore& views_;
  eventlog::KeyValueStore* index_rows_;  // of the index and snapshots
  const UpkeepOptions options_;
  // Erasures that failed, in this server's life; each is tried again after a while of its own.
  struct Failing {
    std::string who;
    base::Error why;
    base::Duration wait{0};
    base::Time again_at;          // log time
    base::StreamVersion through;  // of the erasure that failed
  };
  std::map<std::string, Failing> failing_;  // by stream
  // The stream that was looked at last; empty: the next pass begins with the first.
  std::string looked_at_;
  base::OneThread thread_;
};

// Port. Used by one thread.
class UpkeepPort {
 public:
  virtual ~UpkeepPort() = default;
  // One job at a time: call it again only after poll() returned the outcome.
  virtual void submit(const UpkeepJob& job) = 0;
  virtual std::optional<UpkeepOutcome> poll() = 0;
  virtual int wake_fd() const { return -1; }
};

// Works within poll(), on the caller's thread.
class InlineUpkeepPort final : public UpkeepPort {
 public:
  explicit InlineUpkeepPort(UpkeepJobs work) : work_(std::move(work)) {}
  void submit(const UpkeepJob& job) override { job_ = job; }
  std::optional<UpkeepOutcome> poll() override;

 private:
  UpkeepJobs work_;
  std::optional<UpkeepJob> job_;
};

// Works on a thread of its own.
std::unique_ptr<UpkeepPort> make_thread_upkeep_port(UpkeepJobs work);

}  // namespace workers
