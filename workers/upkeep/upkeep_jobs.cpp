// A job is one order, or a pass that erases pending texts from the log and its copies and then
// looks for expired ones.
#include "workers/upkeep/upkeep_jobs.hpp"

#include <algorithm>
#include <filesystem>

#include "eventlog/base/job_thread.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/copies/erase.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/data_layout.hpp"
#include "eventlog/rocksdb/private_folder.hpp"
#include "projections/fold/projector.hpp"
#include "projections/views/session_list.hpp"
#include "workers/upkeep/copied_logs.hpp"
#include "workers/upkeep/log_trimming.hpp"

namespace workers {

using domain::SessionStatus;

namespace {

// The pause after a reader held a file, which lasts for one read; and after a failure that somebody
// must mend, twice as long after each.
constexpr base::Duration kBusyWait = std::chrono::seconds(1);
constexpr base::Duration kFailedWait = std::chrono::minutes(1);
constexpr base::Duration kFailedWaitMax = std::chrono::minutes(10);
constexpr std::size_t kFailingShownMax = 5;  // streams that a text names

}  // namespace

UpkeepOutcome UpkeepJobs::run(const UpkeepJob& job) {
  thread_.check();
  UpkeepOutcome outcome;
  for (const base::SessionId session : job.over) {
    if (!remove_session_folder(session)) outcome.kept_folders.push_back(session);
  }
  if (job.order) {
    std::visit([&](const auto& order) { obey(order, outcome); }, *job.order);
    return outcome;
  }
  const auto reached = projections::read_checkpoint(views_, projections::SessionList::kName);
  if (!reached) {
    outcome.error = reached.error();
    return outcome;
  }
  outcome.is_behind = !*reached || (*reached)->checkpoint.position < job.at_least;
  if (outcome.is_behind) return outcome;
  if (auto ok = check_index((*reached)->checkpoint.position); !ok) {
    outcome.error = ok.error();
    return outcome;
  }
  erase_pending(job, outcome);
  find_expired(job.now, outcome);
  return outcome;
}

// Fails if the index, by which listed texts are found, is behind the projections; it can fail by
// itself.
base::Result<void> UpkeepJobs::check_index(Position listed) {
  const auto indexed = index_.position();
  if (!indexed) return tl::unexpected(indexed.error());
  if (*indexed >= listed) return {};
  return base::failure(
      base::ErrorCode::busy,
      "nothing is erased yet: the stream index, by which texts are found, stands at "
      "position " +
          std::to_string(indexed->value) + ", and the projections at " +
          std::to_string(listed.value));
}

void UpkeepJobs::obey(const BackupOrder& order, UpkeepOutcome& outcome) {
  outcome.backup = BackupResult{
      order,
      order.is_left_over
          ? eventlog::finish_backup(log_, order.folder, order.begun, options_.disk)
          : eventlog::make_backup(log_, order.folder, order.begun,
                                  {options_.disk, {options_.data_folder}, order.shares_files})};
}

void UpkeepJobs::obey(const AnchorOrder& order, UpkeepOutcome& outcome) {
  outcome.anchor = AnchorResult{make_anchor(order)};
}

// Folds the anchor from the log alone, so that a mistake in the live rows is not signed.
base::Result<eventlog::SignedAnchor> UpkeepJobs::make_anchor(const AnchorOrder& order) {
  auto folder = eventlog::PrivateFolder::make();
  if (!folder) return tl::unexpected(folder.error());
  auto anchor = trimming().fold(order.through, folder->path() + "/rows");
  if (!anchor) return tl::unexpected(anchor.error());
  anchor->made = order.wall;
  return eventlog::sign_anchor(*anchor, options_.key.value());
}

LogTrimming UpkeepJobs::trimming() {
  return {log_, index_, {options_.data_folder}, options_.disk};
}

void UpkeepJobs::obey(const ArchiveOrder& order, UpkeepOutcome& outcome) {
  if (order.is_left_over) {
    trimming().remove_left_over(order.folder);
    outcome.archive =
        ArchiveResult{order, base::failure(base::ErrorCode::not_found,
                                           "it was not whole, and is removed", order.folder)};
    return;
  }
  outcome.archive = ArchiveResult{order, trimming().archive(order, options_.key.value())};
}

void UpkeepJobs::obey(const TrimOrder& order, UpkeepOutcome& outcome) {
  if (index_rows_ == nullptr) {
    outcome.trim = TrimResult{
        order, base::failure(base::ErrorCode::refused, "there is no index to trim with the log")};
  } else {
    outcome.trim = TrimResult{order, trimming().trim(order, *index_rows_)};
  }
  outcome.trim->order.is_begun = log_.first() > order.through;
}

// Returns erasures that are to be tried now, behind those of the last pass, so that some that fail
// do not keep the others.
base::Result<std::vector<projections::PendingErasure>> UpkeepJobs::next_pending(base::Time now,
                                                                                bool& has_more) {
  std::vector<projections::PendingErasure> due;
  bool is_from_first = looked_at_.empty();
  for (;;) {
    auto page = projections::pending_erasures(views_, kErasuresMax, looked_at_);
    if (!page) return page;
    for (projections::PendingErasure& one : *page) {
      looked_at_ = one.stream;
      const auto failing = failing_.find(one.stream);
      const bool is_held_back = failing != failing_.end() && failing->second.again_at > now &&
                                failing->second.through == one.through;
      if (is_held_back) continue;
      due.push_back(std::move(one));
      has_more = due.size() == kErasuresMax;
      if (has_more) return due;
    }
    if (page->size() == kErasuresMax) continue;
    looked_at_.clear();
    has_more = !is_from_first;
    if (is_from_first || !due.empty()) return due;
    is_from_first = true;
  }
}

// Returns the stream in words with which a person finds it.
std::string UpkeepJobs::who(const std::string& stream) const {
  const auto ref = domain::parse_stream(stream);
  if (!ref || !ref->is<domain::SessionStream>()) return stream;
  const auto row = projections::get_session(views_, ref->agent, ref->id);
  return ref->agent + "/" + (row && *row ? (*row)->alias : std::string(ref->id.text()));
}

void UpkeepJobs::note_failure(const projections::PendingErasure& pending, base::Time now,
                              base::Error why) {
  if (failing_.size() >= kFailingMax && !failing_.contains(pending.stream)) return;
  Failing& failing = failing_[pending.stream];
  if (failing.who.empty()) failing.who = who(pending.stream);
  const bool is_short = why.code == base::ErrorCode::busy;
  failing.wait = is_short ? kBusyWait : std::clamp(failing.wait * 2, kFailedWait, kFailedWaitMax);
  failing.through = pending.through;
  failing.again_at = base::Time{now.us + failing.wait.count()};
  failing.why = std::move(why);
}

// Returns which erasures fail, and why the first of them does; none: none does.
std::optional<base::Error> UpkeepJobs::failures() const {
  if (failing_.empty()) return std::nullopt;
  std::string who;
  std::size_t told = 0;
  for (const auto& [stream, failing] : failing_) {
    if (told++ == kFailingShownMax) break;
    who += (who.empty() ? "" : ", ") + failing.who;
  }
  if (failing_.size() > kFailingShownMax) {
    who += " and " + std::to_string(failing_.size() - kFailingShownMax) + " more";
  }
  base::Error error = failing_.begin()->second.why;
  error.text = "erasing " + who + " fails and is tried again; of the first: " + error.text;
  return error;
}

void UpkeepJobs::erase_pending(const UpkeepJob& job, UpkeepOutcome& outcome) {
  bool has_more = false;
  auto pending = next_pending(job.now, has_more);
  if (!pending) {
    outcome.error = pending.error();
    return;
  }
  eventlog::ScrubScope scope;
  std::vector<Wanted> wanted;  // of each of outcome.erased
  for (projections::PendingErasure& one : *pending) {
    auto erased = erase(one, scope);
    if (erased) {
      wanted.push_back(std::move(*erased));
      outcome.erased.push_back(std::move(one));
    } else {
      note_failure(one, job.now, erased.error());
    }
  }
  if (!pending->empty()) outcome.has_more = has_more && failing_.size() < kFailingMax;
  if (base::mutant(base::Mutant::completed_before_scrubbed)) return;
  if (!wanted.empty()) {
    const auto done = reach_files(job, scope, wanted, outcome);
    if (!done) {
      outcome.erased.clear();
      outcome.has_more = false;
      outcome.error = done.error();
      return;
    }
  }
  outcome.error = failures();
}

// Removes what was erased from the log's files and from all copies. Leaves in outcome.erased the
// erasures that are done. Error: of the first file or copy that was not reached.
base::Result<void> UpkeepJobs::reach_files(const UpkeepJob& job, const eventlog::ScrubScope& scope,
                                           const std::vector<Wanted>& wanted,
                                           UpkeepOutcome& outcome) {
  auto done = log_.scrub(scope);
  if (!done) return done;
  Unreached unreached(wanted.size());
  const auto logs = copied_logs({log_, index_, options_.disk}, job.backups, job.archives);
  for (const auto& copy : logs) reach(*copy, wanted, unreached, done);
  for (eventlog::ErasableCopy* copy : options_.copies) reach(*copy, wanted, unreached, done);
  std::vector<projections::PendingErasure> erased;
  for (std::size_t i = 0; i < unreached.size(); ++i) {
    projections::PendingErasure& one = outcome.erased[i];
    if (unreached[i]) {
      note_failure(one, job.now, std::move(*unreached[i]));
    } else {
      if (done) failing_.erase(one.stream);
      erased.push_back(std::move(one));
    }
  }
  outcome.erased = std::move(erased);
  return done;
}

// The other copies are reached even if this one is not, and the other texts even if one is not.
void UpkeepJobs::reach(eventlog::ErasableCopy& copy, const std::vector<Wanted>& wanted,
                       Unreached& unreached, base::Result<void>& done) {
  const auto named = [&](base::Error error) {
    error.text = copy.name() + " is not reached by erasures: " + error.text;
    return error;
  };
  auto outcomes = copy.erase(wanted);
  const auto reached =
      outcomes ? copy.scrub() : base::Result<void>(tl::unexpected(outcomes.error()));
  if (!reached) {
    if (done) done = tl::unexpected(named(reached.error()));
    return;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!(*outcomes)[i] && !unreached[i]) unreached[i] = named((*outcomes)[i].error());
  }
}

base::Result<UpkeepJobs::Wanted> UpkeepJobs::erase(const projections::PendingErasure& pending,
                                                   eventlog::ScrubScope& scope) {
  const auto erasures = projections::read_erasures(views_, pending.stream);
  if (!erasures) return tl::unexpected(erasures.error());
  domain::VersionRanges events;
  for (const projections::Erasure& erasure : *erasures) {
    if (erasure.completed_at.us == 0) events = domain::united(events, erasure.events);
  }
  auto erased = eventlog::erase_content(log_, index_, pending.stream, events, scope);
  if (erased) erased = remove_session_folder(pending);
  if (!erased) return tl::unexpected(erased.error());
  return Wanted{pending.stream, std::move(events)};
}

// Removes the private folder of an agent whose session is erased whole.
base::Result<void> UpkeepJobs::remove_session_folder(const projections::PendingErasure& pending) {
  const auto ref = domain::parse_stream(pending.stream);
  if (options_.session_folder.empty() || !ref || !ref->is<domain::SessionStream>()) return {};
  const auto row = projections::get_session(views_, ref->agent, ref->id);
  if (!row) return tl::unexpected(row.error());
  if (!*row || !(*row)->is_erased || domain::is_live((*row)->status)) return {};
  return remove_session_folder(ref->id);
}

base::Result<void> UpkeepJobs::remove_session_folder(base::SessionId session) {
  if (options_.session_folder.empty()) return {};
  const std::string folder = options_.session_folder + "/" + session.text();
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) return {};
  return base::failure(base::ErrorCode::io, "cannot be removed: " + error.message(), folder);
}

void UpkeepJobs::find_expired(base::Time now, UpkeepOutcome& outcome) {
  const KeepFor& keep = options_.keep_for;
  const std::pair<SessionStatus, base::Duration> rules[] = {
      {SessionStatus::completed, keep.completed},
      {SessionStatus::failed, keep.failed},
      {SessionStatus::killed, keep.killed}};
  for (const auto& [status, age] : rules) {
    if (age.count() == 0) continue;
    auto expired =
        projections::kept_content(views_, status, base::Time{now.us - age.count()}, kErasuresMax);
    if (!expired) {
      outcome.error = expired.error();
      continue;
    }
    outcome.has_more |= expired->size() == kErasuresMax;
    for (auto& one : *expired) outcome.expired.push_back(std::move(one));
  }
}

std::optional<UpkeepOutcome> InlineUpkeepPort::poll() {
  if (!job_) return std::nullopt;
  const UpkeepJob job = *std::exchange(job_, std::nullopt);
  return work_.run(job);
}

namespace {

class ThreadUpkeepPort final : public UpkeepPort {
 public:
  explicit ThreadUpkeepPort(UpkeepJobs work)
      : thread_("erasure",
                [work = std::move(work)](const UpkeepJob& job) mutable { return work.run(job); }) {}

  void submit(const UpkeepJob& job) override { thread_.submit(job); }
  std::optional<UpkeepOutcome> poll() override { return thread_.poll(); }
  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  base::JobThread<UpkeepJob, UpkeepOutcome> thread_;
};

}  // namespace

std::unique_ptr<UpkeepPort> make_thread_upkeep_port(UpkeepJobs work) {
  return std::make_unique<ThreadUpkeepPort>(std::move(work));
}

}  // namespace workers
