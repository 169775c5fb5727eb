// Blocks are written without a sync each; finish() writes the head file and then opens the folder
// as any server does, which syncs and proves it.
#include "eventlog/copies/log_rebuild.hpp"

#include <filesystem>

#include "eventlog/domain/stream_name.hpp"

namespace eventlog {
namespace {

Result<void> check_free(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const bool is_there = fs::exists(folder, failed);
  const bool is_free =
      !is_there || (fs::is_directory(folder, failed) && fs::is_empty(folder, failed));
  if (failed) return base::failure(base::ErrorCode::io, failed.message(), folder);
  if (is_free) return {};
  return base::failure(base::ErrorCode::conflict,
                       "the new log's folder must not be there yet, or be empty", folder);
}

std::vector<StreamAppend> one_event(const std::string& stream, base::StreamVersion version,
                                    domain::Event event) {
  std::vector<StreamAppend> appends(1);
  appends[0] = {stream, version, {}};
  appends[0].events.push_back({std::move(event), {}});
  return appends;
}

}  // namespace

Result<LogCopy> LogCopy::begin(const std::string& folder) {
  if (auto ok = check_free(folder); !ok) return tl::unexpected(ok.error());
  LogCopy copy(folder);
  Disk& disk = system_disk();
  if (auto ok = prepare_data_folder(copy.folder_, disk); !ok) return tl::unexpected(ok.error());
  if (auto ok = make_log_folders(copy.folder_, disk); !ok) return tl::unexpected(ok.error());
  RocksDbStoreOptions options;
  options.folder = copy.folder_.log();
  options.sync = false;
  auto store = open_rocksdb_store(options);
  if (!store) return tl::unexpected(store.error());
  copy.store_ = std::move(*store);
  return copy;
}

Result<void> LogCopy::append(const SealedBlock& block) {
  const AppendOutcome outcome = store_->append(block);
  if (outcome.status != AppendStatus::stored) return tl::unexpected(outcome.error);
  last_ = block.header;
  hash_ = block.hash;
  return {};
}

Result<Checkpoint> LogCopy::finish(base::Random& random) {
  store_.reset();
  LogTail tail;
  tail.epoch = last_.epoch;
  tail.writer_term = last_.writer_term;
  tail.position = last_.count > 0 ? last_.last() : base::Position{};
  if (auto ok = check_numbers(tail); !ok) return tl::unexpected(ok.error());
  if (last_.count > 0) {
    auto head = open_head_file(folder_.head());
    if (!head) return tl::unexpected(head.error());
    if (auto ok = (*head)->write({last_.log, last_.epoch, last_.last(), hash_}); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  auto log = open_log(folder_.root, LogMode::read_write, random);
  if (!log) return tl::unexpected(log.error());
  log_ = std::move(*log);
  return Checkpoint{last_.log, last_.epoch, log_->tail.position, hash_};
}

Result<void> LogCopy::note_erased(const LaterErasures& erased) {
  return add_later_erasures(folder_.erased(), erased.erasures);
}

Result<Checkpoint> LogCopy::begin_epoch(const NewEpoch& epoch, base::Random& random) {
  LogTail tail = log_->tail;
  if (log_->is_new) tail.log = epoch.log;
  tail.writer_term = epoch.writer_term;
  // The highest known counter, possibly from blocks that are not in the copy.
  tail.epoch.counter = epoch.counter - 1;
  if (auto ok = check_numbers(tail); !ok) return tl::unexpected(ok.error());
  ++tail.epoch.counter;
  for (char& byte : tail.epoch.random) byte = static_cast<char>(random.next());
  InlineCommitter committer(*log_->store, log_->head.get());
  Sequencer sequencer(tail, committer, random);
  AppendContext context;
  context.log_time = context.wall_time = base::SystemClock().wall();
  context.command = base::CommandId::make(context.wall_time, random);
  context.actor = "replay";
  std::map<std::string, base::StreamVersion> versions = epoch.versions;
  const auto append = [&](const std::string& stream, domain::Event event) -> Result<void> {
    base::StreamVersion& known = versions[stream];
    while (!sequencer.has_room() && sequencer.do_work()) {
    }
    if (sequencer.failure()) return tl::unexpected(*sequencer.failure());
    sequencer.set_head(stream, known);
    auto appended = sequencer.append(one_event(stream, known, std::move(event)), context);
    if (!appended) return tl::unexpected(appended.error());
    known = known.next();
    return {};
  };
  const domain::EpochStarted started{epoch.counter, epoch.reason};
  if (auto ok = append(std::string(domain::kServerStream), started); !ok) {
    return tl::unexpected(ok.error());
  }
  for (const auto& [stream, events] : epoch.lost) {
    const domain::ContentErased erased{events, domain::ErasureReason::lost};
    if (auto ok = append(stream, erased); !ok) return tl::unexpected(ok.error());
  }
  for (const LaterErasure& erasure : epoch.erased.erasures) {
    const domain::ContentErased erased{erasure.events, domain::ErasureReason::requested};
    if (auto ok = append(erasure.stream, erased); !ok) return tl::unexpected(ok.error());
  }
  for (const auto& [stream, event] : epoch.mending) {
    if (auto ok = append(stream, event); !ok) return tl::unexpected(ok.error());
  }
  while (sequencer.do_work()) {
  }
  if (sequencer.failure()) return tl::unexpected(*sequencer.failure());
  return sequencer.durable_checkpoint();
}

}  // namespace eventlog
