// Keeps for each store the operations that are not durable yet; a loss of power undoes some of
// them.
#include "tests/simulation/sim_disk.hpp"

namespace simulation {
namespace {

using eventlog::AppendOutcome;
using eventlog::AppendStatus;

base::Error no_space() {
  return {base::ErrorCode::io, "No space left on device", "simulated"};
}

base::Error failed(std::string_view what) {
  return {base::ErrorCode::io, std::string(what) + ": Input/output error", "simulated"};
}

}  // namespace

AppendOutcome SimLog::append(const eventlog::SealedBlock& block) {
  const auto unknown = [&](base::Error error) {
    return AppendOutcome{AppendStatus::unknown, tail(), std::move(error)};
  };
  if (disk_.is_full()) {
    ++disk_.counts()["writes refused by a full disk"];
    return unknown(no_space());
  }
  // Opening the log cuts off the rest of a torn write, so both faults leave the same log.
  if (disk_.fires(FaultKind::fail_write) || disk_.fires(FaultKind::tear_write)) {
    return unknown(failed("write"));
  }
  if (disk_.fires(FaultKind::fail_sync)) {
    left_ = block;
    return unknown(failed("fdatasync"));
  }
  return durable_.append(block);
}

void SimLog::open() {
  if (!left_) return;
  durable_.append(*left_);
  left_.reset();
  ++disk_.counts()["blocks found that nobody had synced"];
}

base::Result<void> SimLog::may_erase() {
  if (disk_.is_full()) return tl::unexpected(no_space());
  if (!erasing_left_) return {};
  if (*erasing_left_ == 0) return tl::unexpected(failed("write by a process that was killed"));
  --*erasing_left_;
  return {};
}

base::Result<void> SimLog::replace_content(base::Position first, base::ByteView content) {
  if (auto ok = may_erase(); !ok) return ok;
  const auto before = durable_.read(first, 1, true);
  if (before && !before->empty()) replaced_.try_emplace(first, before->front().content);
  ++disk_.counts()["contents replaced"];
  return durable_.replace_content(first, content);
}

base::Result<void> SimLog::scrub(const eventlog::ScrubScope& scope) {
  if (auto ok = may_erase(); !ok) return ok;
  replaced_.clear();
  return durable_.scrub(scope);
}

bool SimLog::lose_power(base::Random& random) {
  for (const auto& [first, content] : replaced_) {
    if (!random.chance(50)) continue;
    durable_.replace_content(first, content);
    ++disk_.counts()["erased contents back after a loss of power"];
  }
  replaced_.clear();
  if (!left_) return false;
  const bool is_lost = random.chance(50);
  if (!is_lost) durable_.append(*left_);
  left_.reset();
  return is_lost;
}

base::Result<void> SimRows::write(const eventlog::WriteBatch& batch) {
  if (disk_.is_full()) return tl::unexpected(no_space());
  if (disk_.fires(FaultKind::fail_rows)) return tl::unexpected(failed("write"));
  batches_.emplace_back(batch);
  return ForwardingRows::write(batch);
}

base::Result<void> SimRows::clear() {
  if (disk_.is_full()) return tl::unexpected(no_space());
  batches_.emplace_back(std::nullopt);
  return ForwardingRows::clear();
}

bool SimRows::lose_power(base::Random& random) {
  // Usually little is lost, sometimes everything.
  const std::size_t most =
      random.chance(10) ? batches_.size() : std::min<std::size_t>(8, batches_.size());
  const std::size_t lost = random.below(most + 1);
  batches_.resize(batches_.size() - lost);
  forget_all();
  for (const auto& batch : batches_)
    batch ? ForwardingRows::write(*batch) : ForwardingRows::clear();
  return lost > 0;
}

std::optional<eventlog::Checkpoint> SimDisk::head() const {
  return heads_.empty() ? std::nullopt : std::optional(heads_.back().head);
}

base::Result<void> SimDisk::write_head(const eventlog::Checkpoint& head) {
  // The file has its final size from the start, so a full disk does not affect it.
  if (fires(FaultKind::fail_head)) return tl::unexpected(failed("head file"));
  // Keeps only the last of the heads that were synced meanwhile, and the later ones.
  while (heads_.size() > 1 && heads_[1].at + eventlog::kHeadSyncDelay <= time_.now) {
    heads_.erase(heads_.begin());
  }
  heads_.push_back({time_.now, head});
  return {};
}

bool SimDisk::open() {
  if (is_full()) return false;
  log_.open();
  return true;
}

void SimDisk::lose_power(base::Random& random) {
  if (log_.lose_power(random)) ++counts_["blocks lost with the power"];
  if (index_rows_.lose_power(random)) ++counts_["index rows lost with the power"];
  if (view_rows_.lose_power(random)) ++counts_["view rows lost with the power"];
  std::size_t synced = 0;
  while (synced + 1 < heads_.size() &&
         heads_[synced + 1].at + eventlog::kHeadSyncDelay <= time_.now) {
    ++synced;
  }
  if (!heads_.empty()) {
    const std::size_t kept = synced + random.below(heads_.size() - synced);
    if (kept + 1 < heads_.size()) ++counts_["heads lost with the power"];
    heads_ = {heads_[kept]};
  }
}

void SimDisk::heal() {
  armed_.clear();
  full_until_ = Duration{0};
}

bool SimDisk::fires(FaultKind kind) {
  if (armed_.erase(kind) == 0) return false;
  ++counts_[name_of(kind)];
  return true;
}

void SimCommitter::submit(eventlog::SealedBlock block) {
  block_ = std::move(block);
  written_ = time_.now + Duration{50 + random_.below(2'000)};
  due_ = written_ + Duration{100 + random_.below(8'000)};
}

std::optional<eventlog::CommitOutcome> SimCommitter::poll() {
  if (!block_ || time_.now < due_) return std::nullopt;
  auto outcome = eventlog::commit(disk_.log(), &head_, *block_);
  eventlog::CommitOutcome done{std::move(outcome), std::move(*block_)};
  block_.reset();
  return done;
}

std::optional<Duration> SimCommitter::due() const {
  return block_ ? std::optional(due_) : std::nullopt;
}

void SimCommitter::kill() {
  if (!block_) return;
  if (time_.now >= due_) {
    ++disk_.counts()["kills behind a sync"];
    eventlog::commit(disk_.log(), random_.chance(50) ? &head_ : nullptr, *block_);
  } else if (time_.now >= written_) {
    ++disk_.counts()["kills between write and sync"];
    disk_.log().leave(std::move(*block_));
  } else {
    ++disk_.counts()["kills before a write"];
  }
  block_.reset();
}

}  // namespace simulation
