#include "workers/erasure_work.hpp"

#include <filesystem>

#include "eventlog/base/job_thread.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/data_folder.hpp"
#include "eventlog/erase.hpp"
#include "eventlog/later_erasures.hpp"
#include "eventlog/rocksdb_store.hpp"
#include "projections/projector.hpp"
#include "projections/session_list.hpp"

namespace workers {

using session::SessionStatus;

ErasureOutcome ErasureWork::run(const ErasureJob& job) {
  ErasureOutcome outcome;
  if (job.order) {
    const std::string& folder = job.order->folder;
    outcome.backup =
        BackupResult{*job.order, job.order->is_left_over ? eventlog::finish_backup(folder)
                                                         : eventlog::make_backup(log_, folder)};
    return outcome;
  }
  const auto reached = projections::read_checkpoint(views_, projections::SessionList::kName);
  if (!reached) {
    outcome.error = reached.error();
    return outcome;
  }
  outcome.is_behind = !*reached || (*reached)->checkpoint.position < job.at_least;
  if (outcome.is_behind) return outcome;
  erase_pending(job, outcome);
  find_expired(job.now, outcome);
  return outcome;
}

void ErasureWork::erase_pending(const ErasureJob& job, ErasureOutcome& outcome) {
  auto pending = projections::pending_erasures(views_, kErasuresMax);
  if (!pending) {
    outcome.error = pending.error();
    return;
  }
  if (pending->empty()) return;
  eventlog::ScrubScope scope;
  std::vector<Wanted> wanted;
  for (projections::PendingErasure& one : *pending) {
    auto erased = erase(one, scope);
    if (erased) {
      wanted.push_back(std::move(*erased));
      outcome.erased.push_back(std::move(one));
    } else {
      outcome.error = erased.error();
    }
  }
  outcome.has_more = !outcome.error && pending->size() == kErasuresMax;
  if (base::mutant(base::Mutant::completed_before_scrubbed)) return;
  auto done = log_.scrub(scope);
  for (const auto& [name, backup] : job.backups) {
    if (!done || base::mutant(base::Mutant::backup_not_reached)) break;
    done = reach(backup, wanted);
    if (done) continue;
    done.error().text = "backup " + name + " is not reached by erasures: " + done.error().text +
                        "; bring it back, or tell that it is gone with steno backup forget " + name;
  }
  if (!done) {
    outcome.erased.clear();
    outcome.error = done.error();
  }
}

// A backup's positions are the log's, so the log's index serves it, too.
base::Result<bool> ErasureWork::reach(const session::NamedBackup& backup,
                                      const std::vector<Wanted>& wanted) {
  const eventlog::LogFolder folder{backup.folder};
  if (!folder.has_log()) {
    if (backup.through.value == 0) return true;  // It could not be made.
    return base::failure(base::ErrorCode::not_found, "there is no log", backup.folder);
  }
  eventlog::RocksDbStoreOptions options;
  options.folder = folder.log();
  options.create_if_missing = false;
  const auto store = eventlog::open_rocksdb_store(options);
  if (!store) return tl::unexpected(store.error());
  // First, so that nobody takes it for damage.
  auto noted = eventlog::add_later_erasures(folder.erased(), wanted);
  if (!noted) return noted;
  eventlog::ScrubScope scope;
  for (const Wanted& one : wanted) {
    auto erased = eventlog::erase_content(**store, index_, one.stream, one.events, scope);
    if (!erased) return erased;
  }
  return (*store)->scrub(scope);
}

base::Result<ErasureWork::Wanted> ErasureWork::erase(const projections::PendingErasure& pending,
                                                     eventlog::ScrubScope& scope) {
  const auto erasures = projections::read_erasures(views_, pending.agent, pending.session);
  if (!erasures) return tl::unexpected(erasures.error());
  session::VersionRanges events;
  for (const projections::Erasure& erasure : *erasures) {
    if (erasure.completed_at.us == 0) events = session::united(events, erasure.events);
  }
  const std::string stream = session::session_stream(pending.agent, pending.session);
  auto erased = eventlog::erase_content(log_, index_, stream, events, scope);
  if (erased) erased = remove_session_folder(pending);
  if (!erased) return tl::unexpected(erased.error());
  return Wanted{stream, std::move(events)};
}

// What the agent of a session that is erased whole kept in its private folder.
base::Result<bool> ErasureWork::remove_session_folder(const projections::PendingErasure& pending) {
  if (options_.session_folder.empty()) return true;
  const auto row = projections::get_session(views_, pending.agent, pending.session);
  if (!row) return tl::unexpected(row.error());
  if (!*row || !(*row)->is_erased || session::is_live((*row)->status)) return true;
  const std::string folder = options_.session_folder + "/" + pending.session.text();
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) return true;
  return base::failure(base::ErrorCode::io, "cannot be removed: " + error.message(), folder);
}

void ErasureWork::find_expired(base::Time now, ErasureOutcome& outcome) {
  const KeepFor& keep = options_.keep_for;
  const std::pair<SessionStatus, base::Duration> rules[] = {
      {SessionStatus::completed, keep.completed},
      {SessionStatus::failed, keep.failed},
      {SessionStatus::killed, keep.killed}};
  for (const auto& [status, age] : rules) {
    if (age.count() == 0) continue;
    const base::Duration kept = base::mutant(base::Mutant::kept_half_as_long) ? age / 2 : age;
    auto expired =
        projections::kept_content(views_, status, base::Time{now.us - kept.count()}, kErasuresMax);
    if (!expired) {
      outcome.error = expired.error();
      continue;
    }
    outcome.has_more |= expired->size() == kErasuresMax;
    for (auto& one : *expired) outcome.expired.push_back(std::move(one));
  }
}

std::optional<ErasureOutcome> InlineErasurePort::poll() {
  if (!job_) return std::nullopt;
  const ErasureJob job = *std::exchange(job_, std::nullopt);
  return work_.run(job);
}

namespace {

class ThreadErasurePort final : public ErasurePort {
 public:
  explicit ThreadErasurePort(ErasureWork work)
      : thread_([work = std::move(work)](const ErasureJob& job) mutable { return work.run(job); }) {
  }

  void submit(const ErasureJob& job) override { thread_.submit(job); }
  std::optional<ErasureOutcome> poll() override { return thread_.poll(); }
  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  base::JobThread<ErasureJob, ErasureOutcome> thread_;
};

}  // namespace

std::unique_ptr<ErasurePort> make_thread_erasure_port(ErasureWork work) {
  return std::make_unique<ThreadErasurePort>(std::move(work));
}

}  // namespace workers
