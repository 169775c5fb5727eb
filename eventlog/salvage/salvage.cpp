// Finds all blocks, plans which are kept, hands out the rest, and copies the good prefix into a new
// log. The order matters: the rest is handed out before anything is copied.
#include "eventlog/salvage/salvage.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "eventlog/copies/log_rebuild.hpp"
#include "eventlog/domain/erasable.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/folder/archived_base.hpp"
#include "eventlog/log/tail_proof.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/salvage/doubled_sessions.hpp"
#include "eventlog/salvage/salvage_contents.hpp"
#include "eventlog/salvage/salvage_plan.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;

constexpr std::int64_t kAll = 1000;  // all of the work, in shares
constexpr std::int64_t kReadShare =
    400;  // the share of reading the files; the other one is copying

class Salvage {
 public:
  Salvage(const std::string& from, const SalvageOptions& options, base::Random& random)
      : from_{from}, options_(options), random_(random) {}

  Result<Salvaged> run();

 private:
  Result<void> add_archives();
  Result<void> find();
  Result<void> check_archives() const;
  Result<void> look_at_events();
  Result<void> look_at(const FoundBlock& block, bool is_kept);
  Result<void> look_at_doubled();
  Result<void> hand_out_rest();
  Result<void> copy_prefix(LogCopy& copy);
  NewEpoch new_epoch();
  Result<SealedBlock> seal(const FoundBlock& block, std::vector<SalvagedContents::Lost>& lost);
  void progress(std::int64_t share) const {
    if (options_.progress) options_.progress(share);
  }

  const LogFolder from_;
  std::vector<LogFolder> folders_{from_};  // then its archives
  const SalvageOptions& options_;
  base::Random& random_;
  std::optional<Checkpoint> head_;
  LaterErasures later_;
  std::unique_ptr<LogFiles> files_;
  std::unique_ptr<SalvagedContents> contents_;
  SalvagePlan plan_;
  std::map<std::string, base::StreamVersion> versions_;  // of the kept streams
  std::map<std::string, base::StreamVersion> rest_versions_;
  std::vector<SalvagedContents::Lost> lost_;
  DoubledSessions doubled_;
  Salvaged done_;
};

Result<void> Salvage::add_archives() {
  for (const std::string& root : options_.archives) {
    const LogFolder archive{root};
    if (auto ok = check_readable(archive); !ok) return ok;
    std::error_code failed;
    if (!std::filesystem::is_directory(archive.log(), failed)) {
      return failure(ErrorCode::not_found, "there is no archive in this folder", root);
    }
    folders_.push_back(archive);
  }
  return {};
}

Result<void> Salvage::find() {
  if (auto ok = check_readable(from_); !ok) return ok;
  if (auto ok = add_archives(); !ok) return ok;
  if (const auto is_held = base::is_locked(from_.lock()); !is_held) {
    return tl::unexpected(is_held.error());
  } else if (*is_held) {
    return failure(ErrorCode::in_use, "a server has the log open; stop it first", from_.root);
  }
  // An unreadable head file says nothing; the files are then the only source.
  head_ = read_head_file(from_.head()).value_or(std::nullopt);
  auto files = read_log_files(folders_, [&](std::size_t read, std::size_t all) {
    progress(static_cast<std::int64_t>(read * kReadShare / std::max<std::size_t>(all, 1)));
  });
  if (!files) return tl::unexpected(files.error());
  files_ = std::move(*files);
  if (files_->has_newer_format()) {
    return failure(ErrorCode::wrong_log, "the log is of a newer format than this release reads",
                   from_.root);
  }
  if (files_->blocks().empty()) {
    if (!head_)
      return failure(ErrorCode::not_found, "there is no whole block of a log", from_.root);
    return failure(ErrorCode::damaged,
                   missing_text({1}, head_->position) + ": there is no whole block", from_.root);
  }
  for (const LogFolder& folder : folders_) {
    // An unreadable file leaves the contents that it would explain as lost.
    auto erased = read_later_erasures(folder.erased()).value_or(LaterErasures{});
    std::move(erased.erasures.begin(), erased.erasures.end(), std::back_inserter(later_.erasures));
  }
  contents_ = std::make_unique<SalvagedContents>(*files_);
  contents_->allow(later_);
  plan_ = plan_salvage(files_->blocks(), head_);
  if (plan_.prefix.empty() && plan_.rest.empty()) {
    return failure(ErrorCode::wrong_log, "no block is of the log that the head file names",
                   from_.root);
  }
  return check_archives();
}

// Checks that each archive has a block of the log, unless it has no block of its own.
Result<void> Salvage::check_archives() const {
  std::vector<bool> is_known(folders_.size());
  std::vector<bool> is_foreign(folders_.size());
  for (const FoundBlock& block : files_->blocks()) {
    (block.header.log == plan_.log ? is_known : is_foreign)[block.folder] = true;
  }
  for (std::size_t i = 1; i < folders_.size(); ++i) {
    if (is_known[i] || !is_foreign[i]) continue;
    return failure(ErrorCode::wrong_log, "this is the archive of another log", folders_[i].root);
  }
  // A base tells that a beginning was archived, but not that it was also trimmed since.
  const bool has_beginning = !plan_.prefix.empty();
  if (has_beginning || !options_.archives.empty() || !has_archived_beginning(from_)) return {};
  return failure(ErrorCode::not_found,
                 "the beginning of this log was archived; give all of its archives with --archive",
                 from_.root);
}

Result<void> Salvage::look_at_events() {
  for (const FoundBlock* block : plan_.prefix) {
    if (auto ok = look_at(*block, true); !ok) return ok;
  }
  rest_versions_ = versions_;
  for (const PlannedRest& rest : plan_.rest) {
    if (auto ok = look_at(*rest.block, false); !ok) return ok;
  }
  return {};
}

Result<void> Salvage::look_at(const FoundBlock& found, bool is_kept) {
  const auto facts = files_->facts(found);
  if (!facts) return tl::unexpected(facts.error());
  const auto block = parse_block(*facts);
  if (!block) return tl::unexpected(block.error());
  for (const ByteView bytes : block->events) {
    const auto event = domain::decode_facts(bytes);
    if (!event && is_kept && event.error().code == ErrorCode::wrong_log) {
      return tl::unexpected(event.error());
    }
    if (!event) continue;  // verify reports it, in the old log and in the new one
    contents_->take(event->envelope, event->event, is_kept);
    const domain::Envelope& envelope = event->envelope;
    if (is_kept) {
      versions_[envelope.stream] = envelope.version;
      continue;
    }
    base::StreamVersion& last = rest_versions_[envelope.stream];
    if (envelope.version > last.next()) {
      done_.missing_versions.push_back(
          {envelope.stream, last.next(), base::StreamVersion{envelope.version.value - 1}});
    }
    last = std::max(last, envelope.version);
  }
  return {};
}

// Two agents can have sessions with one id, in logs of earlier releases. Few logs do, so that their
// events are looked at once more.
Result<void> Salvage::look_at_doubled() {
  for (const auto& [stream, version] : versions_) doubled_.note(stream);
  if (!doubled_.has_any()) return {};
  for (const FoundBlock* found : plan_.prefix) {
    const auto facts = files_->facts(*found);
    if (!facts) return tl::unexpected(facts.error());
    const auto block = parse_block(*facts);
    if (!block) return tl::unexpected(block.error());
    Position position = block->header.first;
    for (const ByteView bytes : block->events) {
      auto event = domain::decode_facts(bytes);
      if (event) {
        event->envelope.position = position;
        doubled_.fold(*event);
      }
      position = position.next();
    }
  }
  return {};
}

Result<SealedBlock> Salvage::seal(const FoundBlock& block,
                                  std::vector<SalvagedContents::Lost>& lost) {
  auto facts = files_->facts(block);
  if (!facts) return tl::unexpected(facts.error());
  return contents_->seal(block, std::move(*facts), lost);
}

Result<void> Salvage::hand_out_rest() {
  for (const PlannedRest& rest : plan_.rest) {
    std::vector<SalvagedContents::Lost> ignored;
    auto sealed = seal(*rest.block, ignored);
    if (!sealed) return tl::unexpected(sealed.error());
    if (auto ok = options_.take_rest({rest.proof, std::move(*sealed)}); !ok) return ok;
    ++done_.rest_blocks;
  }
  return {};
}

Result<void> Salvage::copy_prefix(LogCopy& copy) {
  const auto all = static_cast<std::int64_t>(plan_.prefix.size());
  for (const FoundBlock* block : plan_.prefix) {
    const auto sealed = seal(*block, lost_);
    if (!sealed) return tl::unexpected(sealed.error());
    if (auto ok = copy.append(*sealed); !ok) return ok;
    done_.kept = block->header.last();
    ++done_.kept_blocks;
    progress(kReadShare + done_.kept_blocks * (kAll - kReadShare) / all);
  }
  return {};
}

NewEpoch Salvage::new_epoch() {
  NewEpoch epoch;
  if (plan_.prefix.empty()) epoch.log = plan_.rest.front().block->header.log;
  epoch.counter = plan_.epoch_counter + 1;
  epoch.writer_term = plan_.writer_term;
  epoch.reason = "salvaged";
  epoch.versions = versions_;
  for (const SalvagedContents::Lost& lost : lost_) {
    done_.contents_lost.push_back(lost.position);
    if (!domain::can_be_erased(lost.stream)) continue;
    epoch.lost[lost.stream].push_back({lost.version, lost.version});
  }
  for (auto& [stream, versions] : epoch.lost) versions = domain::normalized(std::move(versions));
  epoch.mending = doubled_.mending();
  if (!epoch.mending.empty()) done_.doubled = doubled_.sessions();
  epoch.erased = unrecorded(later_, versions_, contents_->recorded());
  return epoch;
}

Result<Salvaged> Salvage::run() {
  if (auto ok = find(); !ok) return tl::unexpected(ok.error());
  if (auto ok = look_at_events(); !ok) return tl::unexpected(ok.error());
  if (auto ok = look_at_doubled(); !ok) return tl::unexpected(ok.error());
  auto copy = LogCopy::begin(options_.to);
  if (!copy) return tl::unexpected(copy.error());
  if (auto ok = hand_out_rest(); !ok) return tl::unexpected(ok.error());
  if (auto ok = copy_prefix(*copy); !ok) return tl::unexpected(ok.error());
  if (auto ok = copy->finish(random_); !ok) return tl::unexpected(ok.error());
  const auto end = copy->begin_epoch(new_epoch(), random_);
  if (!end) return tl::unexpected(end.error());
  done_.end = *end;
  if (head_) done_.old_head = *head_;
  done_.missing = std::move(plan_.missing);
  progress(kAll);
  return std::move(done_);
}

}  // namespace

Result<Salvaged> salvage_log(const std::string& from, const SalvageOptions& options,
                             base::Random& random) {
  return Salvage(from, options, random).run();
}

}  // namespace eventlog
