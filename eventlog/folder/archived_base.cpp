// Writes, copies and reads the base of a trimmed log. Reading proves the anchor three times: by its
// signature, against the first block, and against the log's own record.
#include "eventlog/folder/archived_base.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "eventlog/base/list_files.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/tail_proof.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;

std::string file_of(const std::string& base_folder) {
  return base_folder + "/anchor";
}

// Proves that the log's own record holds the same anchor, so that replacing the file is not enough
// to forge one. An archive can end before the record of the archive before it; it then has no
// record to compare.
Result<void> prove_record(BlockStore& store, const BaseFile& file, Position through,
                          const std::string& path) {
  if (file.recorded > store.tail()) {
    const auto other = find_anchor(store, through, store.first());
    if (!other) return tl::unexpected(other.error());
    if (!*other) return {};
  }
  const auto events = read_events(store, file.recorded, file.recorded, {1, false});
  if (!events) return tl::unexpected(events.error());
  const auto* made = events->size() == 1 ? events->front().event.as<domain::AnchorMade>() : nullptr;
  if (made != nullptr && *made == file.anchor) return {};
  return failure(
      ErrorCode::damaged,
      "the anchor is not the one on the record at position " + std::to_string(file.recorded.value),
      path);
}

Result<void> prove_first_block(BlockStore& store, const Checkpoint& at, const std::string& path) {
  const auto blocks = store.read(store.first(), 1, false);
  if (!blocks) return tl::unexpected(blocks.error());
  const auto block = blocks->empty() ? base::failure(ErrorCode::damaged, "there is no block")
                                     : parse_block(blocks->front().facts);
  if (!block) return tl::unexpected(block.error());
  const BlockHeader& header = block->header;
  const bool follows =
      header.first == at.position.next() && header.log == at.log && header.previous == at.hash;
  if (follows) return {};
  return failure(ErrorCode::damaged, "the log's first block does not follow the anchor", path);
}

}  // namespace

bool has_archived_beginning(const LogFolder& folder) {
  const auto entries = base::list_files(folder.bases());
  return entries && std::any_of(entries->begin(), entries->end(),
                                [](const auto& entry) { return entry.extension() != ".new"; });
}

Result<BaseFile> read_base_file(const LogFolder& folder, Position position) {
  const std::string path = file_of(folder.base(position));
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return failure(ErrorCode::damaged,
                   missing_text({1}, position) + ", and no anchor says that they were archived",
                   path);
  }
  const Bytes bytes(std::istreambuf_iterator<char>(in), {});
  auto file = base::decode<BaseFile>(bytes);
  if (!file) return failure(ErrorCode::damaged, "the file is not an anchor", path);
  return file;
}

Result<std::optional<domain::MadeAnchor>> find_anchor(BlockStore& log, Position through,
                                                      Position from) {
  while (from <= log.tail()) {
    const auto events = read_events(log, from, log.tail(), {kScanBytes, false});
    if (!events) return tl::unexpected(events.error());
    if (events->empty()) break;
    for (const domain::RecordedEvent& event : *events) {
      const auto* made = event.event.as<domain::AnchorMade>();
      if (made == nullptr) continue;
      const auto anchor = open_anchor(*made);
      if (!anchor) return tl::unexpected(anchor.error());
      if (anchor->at.position != through) continue;
      return domain::MadeAnchor{event.envelope.position, *made};
    }
    from = events->back().envelope.position.next();
  }
  return std::nullopt;
}

Result<std::optional<LogBase>> read_base(const LogFolder& folder, BlockStore& store) {
  const Position first = store.first();
  if (first.value <= 1) return std::nullopt;
  const std::string path = folder.base(first.plus(-1));
  const auto file = read_base_file(folder, first.plus(-1));
  if (!file) return tl::unexpected(file.error());
  auto anchor = open_anchor(file->anchor);
  if (!anchor) return failure(anchor.error().code, anchor.error().text, file_of(path));
  if (auto ok = prove_first_block(store, anchor->at, file_of(path)); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = prove_record(store, *file, anchor->at.position, file_of(path)); !ok) {
    return tl::unexpected(ok.error());
  }
  auto rows = open_rocksdb_key_value_view(path + "/rows");
  if (!rows) rows = failure(ErrorCode::damaged, base::describe(rows.error()), path);
  return LogBase{std::move(*anchor), file->archive, file->folder, std::move(rows)};
}

Result<void> write_base_file(const std::string& base_folder, const BaseFile& file, Disk& disk) {
  if (auto ok = write_whole(disk, file_of(base_folder), base::encode(file)); !ok) return ok;
  return disk.sync_folder(base_folder);
}

Result<void> copy_base(const LogFolder& from, const LogFolder& to, Position position, Disk& disk) {
  const std::string source = from.base(position);
  const std::string target = to.base(position);
  if (auto made = disk.make_folder(to.bases()); !made) return tl::unexpected(made.error());
  disk.remove_all(target);
  if (auto ok = copy_folder(source, target, disk); !ok) return ok;
  if (auto ok = sync_all(target + "/rows", disk); !ok) return ok;
  if (auto ok = sync_all(target, disk); !ok) return ok;
  if (auto ok = disk.sync_folder(to.bases()); !ok) return ok;
  return disk.sync_folder(to.root);
}

void begin_at(const LogBase& base, VerifyBesides& besides) {
  besides.begin = base.anchor.at;
  besides.base_rows = base.rows->get();
}

std::string where_archived(const LogBase& base) {
  return "events 1 to " + std::to_string(base.anchor.at.position.value) + " are in archive " +
         base.archive + ", in " + base.folder;
}

}  // namespace eventlog
