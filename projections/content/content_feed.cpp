// A step reads a page of facts, proves that each block follows the one before it, adds the contents
// and commits the page with its checkpoint.
#include "projections/content/content_feed.hpp"

#include <algorithm>
#include <filesystem>

#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/tail_proof.hpp"
#include "projections/fold/block_continuity.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using eventlog::Checkpoint;

// Texts that are applied before a step ends early; one text can be much longer.
constexpr std::size_t kStepTextBytes = 4 << 20;

// True if the index is at fault, so that one that is built anew is not.
bool is_of_index(const base::Error& error) {
  return error.code == ErrorCode::rows_damaged || error.code == ErrorCode::wrong_log ||
         error.code == ErrorCode::damaged;
}

std::string parent_of(const std::string& folder) {
  return std::filesystem::path(folder).parent_path().string();
}

Checkpoint before(const eventlog::BlockHeader& header) {
  return {header.log, header.epoch, header.first.plus(-1), header.previous};
}

std::size_t text_bytes(const std::vector<domain::RecordedEvent>& events) {
  std::size_t bytes = 0;
  for (const domain::RecordedEvent& event : events) {
    if (event.content) bytes += event.content->text.size();
  }
  return bytes;
}

}  // namespace

std::string ContentFeed::name() const {
  return "content index " + std::string(kind_.name);
}

ContentStatus ContentFeed::status() const {
  const std::lock_guard guard(mutex_);
  return {std::string(kind_.name), kind_.schema, checkpoint_.position, failed_};
}

Result<bool> ContentFeed::step(Position durable) {
  const std::lock_guard guard(mutex_);
  auto fed = open();
  if (fed) fed = feed(durable);
  // The next step begins anew, but not at once: the damage can come again.
  if (!fed && fed.error().code == ErrorCode::rows_damaged) {
    if (auto anew = open_anew(fed.error()); !anew) fed = anew;
  }
  failed_ = fed ? std::nullopt : std::optional(fed.error());
  if (!fed) return tl::unexpected(fed.error());
  return checkpoint_.position < durable;
}

Result<void> ContentFeed::read(const std::function<Result<void>(ContentIndex&)>& use) {
  const std::lock_guard guard(mutex_);
  Result<void> used;
  const auto done = with_index([&] { return used = use(*index_); });
  return used ? done : used;
}

Result<std::vector<Result<void>>> ContentFeed::erase(
    const std::vector<eventlog::LaterErasure>& erasures) {
  const std::lock_guard guard(mutex_);
  if (auto ok = open(); !ok) return tl::unexpected(ok.error());
  std::vector<Result<void>> outcomes;
  outcomes.reserve(erasures.size());
  for (const eventlog::LaterErasure& one : erasures) {
    outcomes.push_back(with_index([&] { return erase_one(one); }));
  }
  return outcomes;
}

Result<void> ContentFeed::scrub() {
  const std::lock_guard guard(mutex_);
  return with_index([&] { return index_->scrub(); });
}

// Runs `work` on the open index. If that meets damage, the index is emptied, and holds no text.
template <class Work>
Result<void> ContentFeed::with_index(Work&& work) {
  if (auto ok = open(); !ok) return ok;
  auto done = work();
  if (!done && done.error().code == ErrorCode::rows_damaged) return open_anew(done.error());
  return done;
}

Result<void> ContentFeed::open() {
  if (index_) return {};
  auto made = options_.disk.make_folder(parent_of(folder_));
  if (!made) return tl::unexpected(made.error());
  auto opened = open_as_it_is();
  if (!opened && is_of_index(opened.error())) return open_anew(opened.error());
  return opened;
}

// An index that another release, another log or a longer one has left cannot go on.
Result<void> ContentFeed::open_as_it_is() {
  auto made = options_.disk.make_folder(folder_);
  if (!made) return tl::unexpected(made.error());
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder_, unknown)) {
    return base::failure(ErrorCode::rows_damaged, "it is not a folder", folder_);
  }
  auto index = kind_.open(folder_, options_.disk);
  if (!index) return tl::unexpected(index.error());
  const auto stored = (*index)->checkpoint();
  if (!stored) return tl::unexpected(stored.error());
  const StoredCheckpoint reached = stored->value_or(StoredCheckpoint{{}, kind_.schema});
  if (reached.schema != kind_.schema) {
    return base::failure(ErrorCode::rows_damaged, "it is of schema " +
                                                      std::to_string(reached.schema) + ", not " +
                                                      std::to_string(kind_.schema));
  }
  if (auto ok = eventlog::prove_checkpoint(log_, reached.checkpoint); !ok) return ok;
  index_ = std::move(*index);
  checkpoint_ = reached.checkpoint;
  return {};
}

// Removes the index with its folder, so durably that no loss of power brings a text back.
Result<void> ContentFeed::open_anew(const base::Error& why) {
  index_.reset();
  checkpoint_ = {};
  options_.disk.remove_all(folder_);
  if (!eventlog::is_gone(folder_)) {
    return base::failure(ErrorCode::io, "cannot be removed; see to its permissions", folder_);
  }
  if (auto ok = options_.disk.sync_folder(parent_of(folder_)); !ok) return ok;
  if (options_.on_rebuilt) options_.on_rebuilt("content/" + std::string(kind_.name), why);
  if (auto made = options_.disk.make_folder(folder_); !made) return tl::unexpected(made.error());
  auto index = kind_.open(folder_, options_.disk);
  if (!index) return tl::unexpected(index.error());
  index_ = std::move(*index);
  return {};
}

Result<void> ContentFeed::feed(Position durable) {
  Checkpoint reached = checkpoint_;
  if (reached.position >= durable) return {};
  const auto blocks =
      log_.read(std::max(reached.position.next(), log_.first()), options_.step_bytes, false);
  if (!blocks) return tl::unexpected(blocks.error());
  if (auto ok = index_->begin(); !ok) return ok;
  std::size_t bytes = 0;
  for (const eventlog::StoredBlock& stored : *blocks) {
    const auto block = eventlog::parse_block(stored.facts);
    if (!block) return tl::unexpected(block.error());
    const eventlog::BlockHeader& header = block->header;
    if (header.last() > durable) break;
    // The log no longer holds events that were archived before the index came to them.
    const bool is_trimmed = header.first > reached.position.next() && header.first <= log_.first();
    if (is_trimmed && reached.position.value > 0 && reached.log != header.log) {
      return base::failure(ErrorCode::rows_damaged, "it is of log " + reached.log.text());
    }
    if (is_trimmed) reached = before(header);
    auto following = follow(reached, *block, block->hash());
    if (!following) return tl::unexpected(following.error());
    auto added = eventlog::add_contents(log_, header.first, following->events);
    if (!added) return added;
    for (std::size_t i = 0; i < following->events.size(); ++i) {
      const auto& stream = following->streams[i];
      auto applied = index_->apply(following->events[i], stream ? &*stream : nullptr);
      if (!applied) return applied;
    }
    reached = following->reached;
    bytes += text_bytes(following->events);
    if (bytes >= kStepTextBytes) break;
  }
  if (reached == checkpoint_) {
    return base::failure(ErrorCode::io, "the log has no whole block there",
                         "position " + std::to_string(checkpoint_.position.next().value));
  }
  return commit(reached);
}

// An index whose commit failed is opened again, and says what it has stored.
Result<void> ContentFeed::commit(const Checkpoint& reached) {
  auto done = index_->commit({reached, kind_.schema});
  if (done) {
    checkpoint_ = reached;
  } else {
    index_.reset();
  }
  return done;
}

Result<void> ContentFeed::erase_one(const eventlog::LaterErasure& erasure) {
  if (auto ok = index_->begin(); !ok) return ok;
  if (auto ok = index_->erase(erasure.stream, erasure.events); !ok) return ok;
  return commit(checkpoint_);
}

}  // namespace projections
