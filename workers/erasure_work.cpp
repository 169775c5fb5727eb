#include "workers/erasure_work.hpp"

#include <filesystem>

#include "eventlog/base/job_thread.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/erase.hpp"
#include "projections/projector.hpp"
#include "projections/session_list.hpp"

namespace workers {

using session::SessionStatus;

ErasureOutcome ErasureWork::run(const ErasureJob& job) {
  ErasureOutcome outcome;
  const auto reached = projections::read_checkpoint(views_, projections::SessionList::kName);
  if (!reached) {
    outcome.error = reached.error();
    return outcome;
  }
  outcome.is_behind = !*reached || (*reached)->checkpoint.position < job.at_least;
  if (outcome.is_behind) return outcome;
  erase_pending(outcome);
  find_expired(job.now, outcome);
  return outcome;
}

void ErasureWork::erase_pending(ErasureOutcome& outcome) {
  auto pending = projections::pending_erasures(views_, kErasuresMax);
  if (!pending) {
    outcome.error = pending.error();
    return;
  }
  if (pending->empty()) return;
  eventlog::ScrubScope scope;
  for (projections::PendingErasure& one : *pending) {
    const auto erased = erase(one, scope);
    if (erased) {
      outcome.erased.push_back(std::move(one));
    } else {
      outcome.error = erased.error();
    }
  }
  outcome.has_more = !outcome.error && pending->size() == kErasuresMax;
  if (base::mutant(base::Mutant::completed_before_scrubbed)) return;
  if (const auto scrubbed = log_.scrub(scope); !scrubbed) {
    outcome.erased.clear();
    outcome.error = scrubbed.error();
  }
}

base::Result<bool> ErasureWork::erase(const projections::PendingErasure& pending,
                                      eventlog::ScrubScope& scope) {
  const auto erasures = projections::read_erasures(views_, pending.agent, pending.session);
  if (!erasures) return tl::unexpected(erasures.error());
  session::VersionRanges events;
  for (const projections::Erasure& erasure : *erasures) {
    if (erasure.completed_at.us == 0) events = session::united(events, erasure.events);
  }
  const std::string stream = session::session_stream(pending.agent, pending.session);
  auto erased = eventlog::erase_content(log_, index_, stream, events, scope);
  return erased ? remove_session_folder(pending) : erased;
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
