// A copy is open from erase() to scrub(). Its positions are the log's, so the log's index serves it
// too, as far as the log reaches; behind that it has an index of its own.
#include "workers/upkeep/copied_logs.hpp"

#include <optional>

#include "eventlog/copies/erase.hpp"
#include "eventlog/folder/data_layout.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"

namespace workers {
namespace {

using base::Position;
using base::Result;

class CopiedLog final : public eventlog::ErasableCopy {
 public:
  CopiedLog(const CopySource& source, std::string kind, std::string name, std::string folder)
      : source_(source),
        kind_(std::move(kind)),
        name_(std::move(name)),
        folder_{std::move(folder)} {}

  std::string name() const override { return kind_ + " " + name_; }

  Result<std::vector<Result<void>>> erase(
      const std::vector<eventlog::LaterErasure>& erasures) override {
    auto ready = open();
    // Noted first, so that nobody takes the missing text for damage.
    if (ready) ready = eventlog::add_later_erasures(folder_.erased(), erasures, source_.disk);
    if (!ready) {
      close();
      return tl::unexpected(mendable(ready.error()));
    }
    std::vector<Result<void>> outcomes;
    outcomes.reserve(erasures.size());
    for (const eventlog::LaterErasure& one : erasures) {
      auto erased = eventlog::erase_content(*store_, index(), one.stream, one.events, scope_);
      if (!erased) erased = tl::unexpected(mendable(erased.error()));
      outcomes.push_back(std::move(erased));
    }
    return outcomes;
  }

  Result<void> scrub() override {
    auto scrubbed = store_->scrub(scope_);
    close();
    if (!scrubbed) return tl::unexpected(mendable(scrubbed.error()));
    return scrubbed;
  }

 private:
  Result<void> open() {
    if (!folder_.has_log()) {
      return base::failure(base::ErrorCode::not_found, "there is no log", folder_.root);
    }
    eventlog::RocksDbStoreOptions options;
    options.folder = folder_.log();
    options.create_if_missing = false;
    options.disk = &source_.disk;
    auto store = eventlog::open_rocksdb_store(options);
    if (!store) return tl::unexpected(store.error());
    store_ = std::move(*store);
    return source_.log.first() <= Position{1} ? Result<void>() : open_own_index();
  }

  Result<void> open_own_index() {
    auto opened = eventlog::open_derived_rows(folder_.index(), source_.disk);
    if (!opened) return tl::unexpected(opened.error());
    own_rows_ = std::move(opened->rows);
    own_index_.emplace(*own_rows_);
    const Position tail = store_->tail();
    if (own_index_->catch_up(*store_, tail)) return {};
    return own_index_->rebuild(*store_, tail, [] { return Result<void>(); });
  }

  eventlog::StreamIndex& index() { return own_index_ ? *own_index_ : source_.index; }

  void close() {
    own_index_.reset();
    own_rows_.reset();
    store_.reset();
    scope_ = {};
  }

  base::Error mendable(base::Error error) const {
    error.text +=
        "; bring it back, or tell that it is gone with steno " + kind_ + " forget " + name_;
    return error;
  }

  const CopySource source_;
  const std::string kind_;
  const std::string name_;
  const eventlog::LogFolder folder_;
  std::unique_ptr<eventlog::BlockStore> store_;
  std::unique_ptr<eventlog::KeyValueStore> own_rows_;
  std::optional<eventlog::StreamIndex> own_index_;
  eventlog::ScrubScope scope_;
};

// An archive for which the log is half trimmed. The unfinished trim reads from the archive which
// chunks the log can still hold, so the archive keeps its texts meanwhile.
class TrimmingArchive final : public eventlog::ErasableCopy {
 public:
  explicit TrimmingArchive(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return "archive " + name_; }
  Result<std::vector<Result<void>>> erase(const std::vector<eventlog::LaterErasure>&) override {
    return base::failure(base::ErrorCode::busy, "the log is being trimmed for it");
  }
  Result<void> scrub() override { return {}; }

 private:
  const std::string name_;
};

}  // namespace

std::vector<std::unique_ptr<eventlog::ErasableCopy>> copied_logs(
    const CopySource& source, const std::map<std::string, domain::NamedBackup>& backups,
    const std::map<std::string, domain::NamedArchive>& archives) {
  std::vector<std::unique_ptr<eventlog::ErasableCopy>> copies;
  for (const auto& [name, backup] : backups) {
    // A backup not known to be whole can be one that could not be made.
    const bool is_there = eventlog::LogFolder{backup.folder}.has_log();
    if (!is_there && backup.through.value == 0) continue;
    copies.push_back(std::make_unique<CopiedLog>(source, "backup", name, backup.folder));
  }
  for (const auto& [name, archive] : archives) {
    if (archive.through.value == 0) continue;
    if (!archive.is_trimmed && source.log.first() > archive.through) {
      copies.push_back(std::make_unique<TrimmingArchive>(name));
    } else {
      copies.push_back(std::make_unique<CopiedLog>(source, "archive", name, archive.folder));
    }
  }
  return copies;
}

}  // namespace workers
