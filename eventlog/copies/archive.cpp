// An archive is copied block by block, chunks included, since a trimmed log must not need it any
// more. Trimming removes blocks, then their chunks, then scrubs the files.
#include "eventlog/copies/archive.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "eventlog/copies/erase.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;

// One large content of a block: its stream and digest, from which the keys of its chunks follow.
struct LargeContent {
  std::string stream;
  Hash digest{};
  std::int64_t chunks = 0;
};

Result<std::vector<LargeContent>> large_contents(const BlockView& block, const Bytes& content) {
  std::vector<LargeContent> found;
  if (content.empty()) return found;
  const auto decoded = base::decode<ContentBlock>(content);
  if (!decoded) return tl::unexpected(at_position(decoded.error(), block.header.first));
  for (const StoredContent& entry : decoded->entries) {
    if (entry.chunks == 0) continue;
    const auto index = static_cast<std::size_t>(entry.index);
    const auto envelope = index < block.events.size()
                              ? domain::decode_envelope(block.events[index])
                              : failure(ErrorCode::damaged, "content of no event");
    if (!envelope) return tl::unexpected(at_position(envelope.error(), block.header.first));
    if (!envelope->content) {
      return failure(ErrorCode::damaged, "content of an event that has none");
    }
    found.push_back({envelope->stream, envelope->content->digest, entry.chunks});
  }
  return found;
}

Result<SealedBlock> with_chunks(BlockStore& log, const StoredBlock& stored) {
  const auto block = parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  SealedBlock sealed{block->header, block->hash(), stored.facts, stored.content, {}};
  const auto large = large_contents(*block, stored.content);
  if (!large) return tl::unexpected(large.error());
  for (const LargeContent& one : *large) {
    for (std::int64_t i = 0; i < one.chunks; ++i) {
      Bytes key = chunk_key(one.stream, one.digest, static_cast<std::uint32_t>(i));
      auto bytes = log.read_chunk(key);
      if (!bytes) return tl::unexpected(at_position(bytes.error(), block->header.first));
      sealed.chunks.push_back({std::move(key), std::move(*bytes)});
    }
  }
  return sealed;
}

Result<void> copy_blocks(BlockStore& log, const Checkpoint& end, const std::string& folder,
                         Disk& disk) {
  RocksDbStoreOptions options;
  options.folder = folder;
  options.sync = false;
  options.after = log.first().plus(-1);
  options.disk = &disk;
  const auto copy = open_rocksdb_store(options);
  if (!copy) return tl::unexpected(copy.error());
  for (Position next = log.first(); next <= end.position;) {
    const auto blocks = log.read(next, kScanBytes, true);
    if (!blocks) return tl::unexpected(blocks.error());
    if (blocks->empty()) return failure(ErrorCode::damaged, "the log ends before the anchor");
    for (const StoredBlock& stored : *blocks) {
      const auto facts = parse_block(stored.facts);
      if (!facts) return tl::unexpected(facts.error());
      if (facts->header.first > end.position) break;
      const auto block = with_chunks(log, stored);
      if (!block) return tl::unexpected(block.error());
      const AppendOutcome outcome = (*copy)->append(*block);
      if (outcome.status != AppendStatus::stored) return tl::unexpected(outcome.error);
      next = block->header.last().next();
    }
  }
  return {};
}

// Erasures of contents in the archive that are recorded only behind its end.
Result<std::vector<LaterErasure>> erased_behind(BlockStore& log, Position from) {
  std::map<std::string, domain::VersionRanges> erased;
  while (from <= log.tail()) {
    const auto events = read_events(log, from, log.tail(), {kScanBytes, false});
    if (!events) return tl::unexpected(events.error());
    if (events->empty()) break;
    for (const domain::RecordedEvent& event : *events) {
      const auto* one = event.event.as<domain::ContentErased>();
      if (one == nullptr) continue;
      domain::VersionRanges& all = erased[event.envelope.stream];
      all = domain::united(all, domain::normalized(one->events));
    }
    from = events->back().envelope.position.next();
  }
  std::vector<LaterErasure> found;
  found.reserve(erased.size());
  for (auto& [stream, events] : erased) found.push_back({stream, std::move(events)});
  return found;
}

Bytes mark_of(base::LogId log) {
  return "archive of log " + log.text() + '\n';
}

Result<ArchiveOutcome> copy_and_prove(BlockStore& log, const LogFolder& root, const Checkpoint& end,
                                      const LogFolder& copy, Disk& disk) {
  if (auto ok = write_whole(disk, copy.making(), mark_of(end.log)); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = disk.sync_folder(copy.root); !ok) return tl::unexpected(ok.error());
  const Position first = log.first();
  const auto base = read_base(root, log);
  if (!base) return tl::unexpected(base.error());
  if (auto made = disk.make_folder(copy.log()); !made) return tl::unexpected(made.error());
  if (auto ok = copy_blocks(log, end, copy.log(), disk); !ok) return tl::unexpected(ok.error());
  if (auto ok = sync_all(copy.log(), disk); !ok) return tl::unexpected(ok.error());
  const auto erased = erased_behind(log, end.position.next());
  if (!erased) return tl::unexpected(erased.error());
  // Exists if the log is itself an exact copy.
  const auto later = read_later_erasures(root.erased());
  if (!later) return tl::unexpected(later.error());
  for (const std::vector<LaterErasure>& some : {*erased, later->erasures}) {
    if (auto ok = add_later_erasures(copy.erased(), some, disk); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (*base) {
    if (auto ok = copy_base(root, copy, first.plus(-1), disk); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (auto ok = write_head(copy, end, disk); !ok) return tl::unexpected(ok.error());
  if (auto ok = prove_copy(copy); !ok) return tl::unexpected(ok.error());
  return ArchiveOutcome{first, end.position};
}

// Removes the chunks of the archive's large contents from the log. Returns the scope in which the
// log's files must be scrubbed.
Result<ScrubScope> erase_chunks(BlockStore& log, BlockStore& archive) {
  ScrubScope scope{archive.first(), archive.tail(), {}};
  std::set<Bytes> streams;
  for (Position from = archive.first(); from <= archive.tail();) {
    const auto blocks = archive.read(from, kScanBytes, true);
    if (!blocks) return tl::unexpected(blocks.error());
    for (const StoredBlock& stored : *blocks) {
      const auto block = parse_block(stored.facts);
      if (!block) return tl::unexpected(block.error());
      const auto large = large_contents(*block, stored.content);
      if (!large) return tl::unexpected(large.error());
      for (const LargeContent& one : *large) {
        streams.insert(one.stream + '\0');
        auto erased = log.erase_chunks(chunk_prefix(one.stream, one.digest));
        if (!erased) return tl::unexpected(erased.error());
      }
      from = block->header.last().next();
    }
  }
  scope.chunk_prefixes.assign(streams.begin(), streams.end());
  return scope;
}

// Opens the archive, and checks that it ends with the block that `end` names.
Result<std::unique_ptr<BlockStore>> open_archive(const Checkpoint& end, const std::string& folder) {
  RocksDbViewOptions options;
  options.folder = LogFolder{folder}.log();
  options.has_writer = false;
  auto archive = open_rocksdb_view(options);
  if (!archive) return archive;
  const auto tail = read_tail(**archive);
  if (!tail) return tl::unexpected(tail.error());
  if (tail->position == end.position && tail->hash == end.hash) return archive;
  return failure(ErrorCode::damaged,
                 "the archive does not end with the block that the anchor names", folder);
}

// The mark goes last, so that an unfinished removal is found again.
void remove_marked(const std::string& folder, Disk& disk) {
  remove_copy(folder, disk);
  const std::string mark = LogFolder{folder}.making();
  for (const std::string& path : {unfinished(mark), mark}) disk.remove_all(path);
  remove_emptied(folder, disk);
}

}  // namespace

Result<ArchiveOutcome> make_archive(BlockStore& log, const LogFolder& root, const Checkpoint& end,
                                    const std::string& folder, Disk& disk) {
  if (auto ok = make_empty_folder(folder, disk); !ok) return tl::unexpected(ok.error());
  auto outcome = copy_and_prove(log, root, end, LogFolder{folder}, disk);
  const std::string above = std::filesystem::path(folder).parent_path().string();
  Result<void> synced = outcome ? disk.sync_folder(folder) : Result<void>();
  if (synced && outcome) synced = disk.sync_folder(above);
  if (!synced) outcome = tl::unexpected(synced.error());
  if (!outcome) remove_marked(folder, disk);
  return outcome;
}

Result<void> finish_archive(const std::string& folder, Disk& disk) {
  disk.remove_all(LogFolder{folder}.making());
  return disk.sync_folder(folder);
}

void remove_archive(const std::string& folder, base::LogId log, Disk& disk) {
  const std::string mark = LogFolder{folder}.making();
  if (!holds(mark, mark_of(log))) return remove_unmarked(folder, mark, disk);
  remove_marked(folder, disk);
}

Result<void> trim_log(BlockStore& log, const Checkpoint& end, const std::string& folder) {
  const auto archive = open_archive(end, folder);
  if (!archive) return tl::unexpected(archive.error());
  // Blocks first: no reader must find a block whose chunks are missing.
  if (auto ok = log.trim_before(end.position.next()); !ok) return ok;
  const auto scope = erase_chunks(log, **archive);
  if (!scope) return tl::unexpected(scope.error());
  return log.scrub(*scope);
}

}  // namespace eventlog
