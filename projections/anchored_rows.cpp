// The rows come from the base beside the log, or from a fold of its archives in a private folder,
// and are copied a page at a time.
#include "projections/anchored_rows.hpp"

#include <algorithm>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/archive_chain.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/rocksdb/private_folder.hpp"
#include "projections/fold/digest.hpp"
#include "projections/start/anchored_states.hpp"
#include "projections/views/session_list.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using eventlog::KeyValueStore;
using eventlog::LogBase;

constexpr std::size_t kBatchEvents = 10'000;  // folded between two writes

// Key of the index that says which log the snapshots were written for (its first position less
// one), and in which schema of the states.
constexpr ByteView kBeginKey = "b/";

Bytes begin_row(Position begin) {
  Bytes row;
  base::append_u64(row, static_cast<std::uint64_t>(begin.value));
  base::append_u64(row, static_cast<std::uint64_t>(domain::kSchemaOfAll));
  return row;
}

std::vector<std::unique_ptr<Projection>> anchored_projections() {
  auto all = all_projections();
  all.push_back(std::make_unique<StreamStates>());
  return all;
}

// Opens the archives of the log before the base. Each archive's own base names the folder of the
// one before it, so no rows are needed to find them.
Result<std::vector<std::unique_ptr<eventlog::BlockStore>>> open_archives(const LogBase& base) {
  std::vector<std::unique_ptr<eventlog::BlockStore>> archives;
  eventlog::LogFolder folder{base.folder};
  for (Position end = base.anchor.at.position;;) {
    auto archive = eventlog::open_log_view(folder.log());
    if (!archive) return tl::unexpected(archive.error());
    if ((*archive)->tail() != end) {
      return base::failure(ErrorCode::wrong_log,
                           "the archive does not end at position " + std::to_string(end.value),
                           folder.root);
    }
    end = (*archive)->first().plus(-1);
    archives.push_back(std::move(*archive));
    if (end.value == 0) return archives;
    const auto before = eventlog::read_base_file(folder, end);
    if (!before) return tl::unexpected(before.error());
    folder.root = before->folder;
  }
}

// Rows together with the folder that holds them.
class PrivateRows final : public KeyValueStore {
 public:
  PrivateRows(eventlog::PrivateFolder folder, std::unique_ptr<KeyValueStore> rows)
      : folder_(std::move(folder)), rows_(std::move(rows)) {}

  Result<void> write(const eventlog::WriteBatch& batch) override { return rows_->write(batch); }
  Result<std::optional<Bytes>> get(ByteView key) override { return rows_->get(key); }
  Result<std::vector<eventlog::KeyValue>> scan(ByteView prefix, ByteView from,
                                               std::size_t count_max) override {
    return rows_->scan(prefix, from, count_max);
  }
  Result<std::optional<eventlog::KeyValue>> last(ByteView prefix) override {
    return rows_->last(prefix);
  }
  Result<void> clear() override { return rows_->clear(); }
  Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override { return rows_->snapshot(); }

 private:
  eventlog::PrivateFolder folder_;  // outlives the rows
  std::unique_ptr<KeyValueStore> rows_;
};

Result<std::unique_ptr<KeyValueStore>> fold_archives(const LogBase& base) {
  auto parts = open_archives(base);
  if (!parts) return tl::unexpected(parts.error());
  const auto archives = eventlog::chain_stores(std::move(*parts));
  if (!archives) return tl::unexpected(archives.error());
  auto folder = eventlog::PrivateFolder::make();
  if (!folder) return tl::unexpected(folder.error());
  auto rows = eventlog::open_rocksdb_key_value_store(folder->path() + "/rows");
  if (!rows) return tl::unexpected(rows.error());
  const auto folded = fold_anchor(**archives, base.anchor.at.position, **rows);
  if (!folded) return tl::unexpected(folded.error());
  if (folded->at != base.anchor.at) {
    return base::failure(ErrorCode::wrong_log, "the archives are of another log", base.folder);
  }
  return std::make_unique<PrivateRows>(std::move(*folder), std::move(*rows));
}

// Copies rows a page at a time, so that memory is bounded.
template <class Each>
Result<void> copy_rows(KeyValueStore& from, ByteView prefix, KeyValueStore& to, Each&& each) {
  Bytes next(prefix);
  for (;;) {
    auto page = from.scan(prefix, next, kRowsPage);
    if (!page) return tl::unexpected(page.error());
    eventlog::WriteBatch batch;
    for (eventlog::KeyValue& row : *page) {
      next = row.key + '\0';
      if (auto ok = each(std::move(row), batch); !ok) return ok;
    }
    if (auto ok = to.write(batch); !ok) return ok;
    if (page->size() < kRowsPage) return {};
  }
}

}  // namespace

Result<eventlog::Anchor> fold_anchor(eventlog::BlockStore& log, Position through,
                                     eventlog::KeyValueStore& rows) {
  const auto all = anchored_projections();
  std::vector<Projector> projectors;
  for (const auto& projection : all) {
    auto projector = Projector::open(*projection, rows);
    if (!projector) return tl::unexpected(projector.error());
    projectors.push_back(std::move(*projector));
  }
  std::vector<Projector*> going;
  going.reserve(projectors.size());
  for (Projector& projector : projectors) going.push_back(&projector);
  for (std::int64_t most = 1; most > 0;) {
    most = 0;
    for (const auto& folded : Projector::catch_up_all(going, log, through, kBatchEvents)) {
      if (!folded) return tl::unexpected(folded.error());
      most = std::max(most, *folded);
    }
  }
  eventlog::Anchor anchor;
  for (const Projector& projector : projectors) {
    anchor.at = projector.checkpoint();
    if (anchor.at.position != through) {
      return base::failure(base::ErrorCode::invalid, "no block ends there",
                           "position " + std::to_string(through.value));
    }
    const Projection& projection = projector.projection();
    const auto digest = projections::digest(rows, projection.name());
    if (!digest) return tl::unexpected(digest.error());
    anchor.rows.push_back({std::string(projection.name()), projection.schema(), *digest});
  }
  return anchor;
}

Result<void> check_anchored_rows(const LogBase& base) {
  if (!base.rows) return tl::unexpected(base.rows.error());
  for (const auto& projection : anchored_projections()) {
    const std::string name(projection->name());
    const auto named = std::find_if(base.anchor.rows.begin(), base.anchor.rows.end(),
                                    [&](const auto& one) { return one.name == name; });
    if (named == base.anchor.rows.end() && projection->is_younger()) continue;
    if (named == base.anchor.rows.end() || named->schema != projection->schema()) {
      return base::failure(ErrorCode::wrong_log,
                           "the rows of " + name +
                               " that were kept when the log was trimmed are of another release");
    }
    const auto found = digest(**base.rows, name);
    if (!found) return tl::unexpected(found.error());
    if (*found != named->digest) {
      return base::failure(ErrorCode::damaged,
                           "the rows of " + name +
                               " that were kept when the log was trimmed are not those that its "
                               "anchor names");
    }
  }
  return {};
}

Result<std::unique_ptr<KeyValueStore>> open_anchored_rows(LogBase base) {
  const auto checked = check_anchored_rows(base);
  if (checked) return std::move(base.rows);
  auto folded = fold_archives(base);
  if (folded) return folded;
  base::Error error = checked.error();
  // The rows belong to the log: building views/ or index/ anew would not repair them.
  if (error.code == ErrorCode::rows_damaged) error.code = ErrorCode::damaged;
  if (error.code == ErrorCode::wrong_log) error.code = ErrorCode::refused;
  error.text += ", and " + eventlog::where_archived(base) +
                ", which cannot be read instead: " + base::describe(folded.error());
  return tl::unexpected(std::move(error));
}

Result<bool> can_go_on(KeyValueStore& rows, const Projection& projection, Position begin) {
  const auto stored = read_checkpoint(rows, projection.name());
  if (!stored) return tl::unexpected(stored.error());
  return *stored && (*stored)->schema == projection.schema() &&
         (*stored)->checkpoint.position >= begin;
}

Result<void> copy_anchored_rows(KeyValueStore& from, const Projection& projection,
                                KeyValueStore& to) {
  auto projector = Projector::open(projection, to);
  if (!projector) return tl::unexpected(projector.error());
  if (auto ok = projector->rebuild(); !ok) return ok;
  const auto keep = [](eventlog::KeyValue row, eventlog::WriteBatch& batch) -> Result<void> {
    batch.put(std::move(row.key), std::move(row.value));
    return {};
  };
  const Bytes name(projection.name());
  if (auto ok = copy_rows(from, name + '/', to, keep); !ok) return ok;
  // The checkpoint comes last: rows without one are removed when they are found.
  const auto stored = read_checkpoint(from, name);
  if (!stored) return tl::unexpected(stored.error());
  if (*stored || !projection.is_younger()) {
    return copy_rows(from, "checkpoint/" + name, to, keep);
  }
  // It has no rows, and stands where the others do.
  const auto others = read_checkpoint(from, SessionList::kName);
  if (!others) return tl::unexpected(others.error());
  if (!*others) return {};
  return projector->stand_at((*others)->checkpoint);
}

Result<void> copy_all_anchored_rows(KeyValueStore& from, KeyValueStore& to) {
  for (const auto& projection : anchored_projections()) {
    if (auto ok = copy_anchored_rows(from, *projection, to); !ok) return ok;
  }
  return {};
}

Result<bool> has_anchored_streams(KeyValueStore& index, Position begin) {
  const auto row = index.get(kBeginKey);
  if (!row) return tl::unexpected(row.error());
  return *row && **row == begin_row(begin);
}

Result<void> copy_anchored_streams(KeyValueStore& from, KeyValueStore& index, Position begin) {
  eventlog::SnapshotStore old(from, eventlog::kBaseStreams);
  eventlog::SnapshotStore snapshots(index);
  const auto keep = [&](eventlog::KeyValue row, eventlog::WriteBatch& batch) -> Result<void> {
    const std::string stream = row.key.substr(eventlog::kBaseStreams.size());
    const auto known = snapshots.load(stream);
    if (!known) return tl::unexpected(known.error());
    const auto version = old.version(stream);
    if (!version) return tl::unexpected(version.error());
    if (*known && (*known)->version >= **version) return {};
    batch.put("s/" + stream, std::move(row.value));
    return {};
  };
  if (auto ok = copy_rows(from, eventlog::kBaseStreams, index, keep); !ok) return ok;
  eventlog::WriteBatch batch;
  batch.put(Bytes(kBeginKey), begin_row(begin));
  return index.write(batch);
}

}  // namespace projections
