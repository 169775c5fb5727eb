// What erasing does to the disk: takes the text of which a ContentErased says so out of the log's
// files and out of its backups, and looks which ended sessions were kept for long enough. Backups
// are made here, too, so that none is made while something is being erased. Slow, therefore a port:
// the server's loop hands it over and hears what came of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/backup.hpp"
#include "eventlog/key_value_store.hpp"
#include "eventlog/stream_index.hpp"
#include "projections/erasures.hpp"

namespace workers {

using base::Position;

// How long the text of an ended session is kept, from its end on, by how it ended; 0: for ever.
struct KeepFor {
  base::Duration completed{0};
  base::Duration failed{0};
  base::Duration killed{0};
};

struct ErasureOptions {
  KeepFor keep_for;
  std::string session_folder;  // of the sessions' private folders; empty: there are none
};

struct BackupOrder {
  std::string name;
  std::string folder;
  bool is_left_over = false;  // by a server that was killed meanwhile: to be proved, or removed
};

struct BackupResult {
  BackupOrder order;
  base::Result<eventlog::BackupOutcome> outcome;
};

struct ErasureJob {
  Position at_least;  // that the projections must have come to
  base::Time now;     // log time
  std::map<std::string, session::NamedBackup> backups;
  std::optional<BackupOrder> order;  // only this is done, then
};

struct ErasureOutcome {
  bool is_behind = false;  // the projections are: nothing was done
  bool has_more = false;   // than one job takes
  // Of which no file holds anything any more.
  std::vector<projections::PendingErasure> erased;
  // That were kept for long enough, and are still there.
  std::vector<projections::KeptContent> expired;
  // What kept some of it from being done; it is to be tried again.
  std::optional<base::Error> error;
  std::optional<BackupResult> backup;
};

// Sessions of one job: so few that what is asked for meanwhile does not wait long, so many that
// tables are not written anew for each.
constexpr std::size_t kErasuresMax = 64;

// Used by one thread.
class ErasureWork {
 public:
  // All references outlive it.
  ErasureWork(eventlog::BlockStore& log, eventlog::StreamIndex& index,
              eventlog::KeyValueStore& views, ErasureOptions options)
      : log_(log), index_(index), views_(views), options_(std::move(options)) {}

  ErasureOutcome run(const ErasureJob& job);

 private:
  using Wanted = eventlog::LaterErasure;

  base::Result<Wanted> erase(const projections::PendingErasure& pending,
                             eventlog::ScrubScope& scope);
  base::Result<bool> reach(const session::NamedBackup& backup, const std::vector<Wanted>& wanted);
  base::Result<bool> remove_session_folder(const projections::PendingErasure& pending);
  void erase_pending(const ErasureJob& job, ErasureOutcome& outcome);
  void find_expired(base::Time now, ErasureOutcome& outcome);

  eventlog::BlockStore& log_;
  eventlog::StreamIndex& index_;
  eventlog::KeyValueStore& views_;
  const ErasureOptions options_;
};

// Port. Used by one thread.
class ErasurePort {
 public:
  virtual ~ErasurePort() = default;
  // One at a time.
  virtual void submit(const ErasureJob& job) = 0;
  virtual std::optional<ErasureOutcome> poll() = 0;
  virtual int wake_fd() const { return -1; }
};

// Works within poll(), on the caller's thread.
class InlineErasurePort final : public ErasurePort {
 public:
  explicit InlineErasurePort(ErasureWork work) : work_(std::move(work)) {}
  void submit(const ErasureJob& job) override { job_ = job; }
  std::optional<ErasureOutcome> poll() override;

 private:
  ErasureWork work_;
  std::optional<ErasureJob> job_;
};

// Works on a thread of its own.
std::unique_ptr<ErasurePort> make_thread_erasure_port(ErasureWork work);

}  // namespace workers
