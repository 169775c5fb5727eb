#include "eventlog/log_folder.hpp"

#include <cstring>
#include <filesystem>

#include "eventlog/base/mutant.hpp"
#include "eventlog/log_end.hpp"
#include "eventlog/write_ahead_log.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;

// Without the slashes at its end, so that its parent can be told.
LogFolder folder_of(std::string root) {
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return {std::move(root)};
}

base::Error all_missing(const Checkpoint& head, const LogFolder& folder) {
  return {ErrorCode::damaged,
          missing_text(Position{1}, head.position) + ": there is a head file, but no log",
          folder.log()};
}

LogTail fresh_tail(base::Random& random) {
  LogTail tail;
  tail.log = base::LogId::make(base::SystemClock().wall(), random);
  tail.epoch.counter = 1;
  const std::uint64_t bits = random.next();
  static_assert(sizeof bits == sizeof tail.epoch.random);
  std::memcpy(tail.epoch.random.data(), &bits, sizeof bits);
  return tail;
}

// A log that is proved, from what both ways of opening have found.
Result<OpenedLog> prove(std::unique_ptr<BlockStore> store, const std::optional<Checkpoint>& head) {
  if (auto ok = prove_end(*store, head); !ok) return tl::unexpected(ok.error());
  auto tail = read_tail(*store);
  if (!tail) return tl::unexpected(tail.error());
  OpenedLog opened;
  opened.tail = *tail;
  opened.is_new = tail->position.value == 0;
  opened.store = std::move(store);
  return opened;
}

// The store, opened for appending, and the proof of its end.
Result<OpenedLog> open_store(const LogFolder& folder, const std::optional<Checkpoint>& head,
                             const LogOptions& options) {
  RocksDbStoreOptions wanted;
  wanted.folder = folder.log();
  wanted.disk = &options.disk;
  wanted.write_buffer_bytes = options.write_buffer_bytes;
  auto store = open_rocksdb_store(wanted);
  auto opened = store ? prove(std::move(*store), head) : tl::unexpected(store.error());
  if (!opened && opened.error().code == ErrorCode::damaged &&
      std::filesystem::exists(folder.evidence())) {
    opened.error().text += "; the write-ahead log as it was found is kept in " + folder.evidence();
  }
  return opened;
}

Result<OpenedLog> open_to_write(const LogFolder& folder, base::Random& random,
                                const LogOptions& options) {
  Disk& disk = options.disk;
  if (auto ok = prepare_data_folder(folder, disk); !ok) return tl::unexpected(ok.error());
  auto lock = base::FileLock::take(folder.lock());
  if (!lock) {
    if (lock.error().code == ErrorCode::in_use) {
      lock.error().text =
          "process " + std::to_string(base::lock_holder(folder.lock())) +
          " has this data folder open; stop it first, give another folder, or read beside it with "
          "steno replay";
    }
    return tl::unexpected(lock.error());
  }
  auto head = read_head_file(folder.head());
  if (!head) return tl::unexpected(head.error());
  if (*head && !folder.has_log()) {
    // Before a database is made here, which would look like a log of its own.
    return tl::unexpected(all_missing(**head, folder));
  }
  if (auto ok = make_log_folders(folder, disk); !ok) return tl::unexpected(ok.error());
  if (auto ok = keep_write_ahead_log(folder, disk); !ok) return tl::unexpected(ok.error());
  auto opened = open_store(folder, *head, options);
  if (!opened) return opened;
  auto head_file = open_head_file(folder.head(), disk);
  if (!head_file) return tl::unexpected(head_file.error());
  if (auto ok = disk.sync_folder(folder.root); !ok) return tl::unexpected(ok.error());
  drop_evidence(folder, disk);
  opened->lock = std::move(*lock);
  opened->head = std::move(*head_file);
  if (opened->is_new) opened->tail = fresh_tail(random);
  return opened;
}

// What can be seen of the log; with a server at work, up to its head only.
Result<UnprovedLog> open_view(const LogFolder& folder, bool is_in_use) {
  UnprovedLog log;
  log.is_in_use = is_in_use;
  // The head first: what the store shows afterwards is never shorter than it.
  auto head = read_head_file(folder.head());
  if (head) {
    log.head = *head;
  } else {
    log.head_error = head.error();
  }
  if (!folder.has_log()) {
    if (log.head) return tl::unexpected(all_missing(*log.head, folder));
    return failure(ErrorCode::not_found, "there is no log in this folder", folder.root);
  }
  auto later = read_later_erasures(folder.erased());
  if (!later) return tl::unexpected(later.error());
  log.later = std::move(*later);
  RocksDbViewOptions options;
  options.folder = folder.log();
  options.allow_damage = true;
  options.has_writer = is_in_use;
  if (is_in_use && !base::mutant(base::Mutant::reader_sees_unacknowledged)) {
    options.through = log.head ? log.head->position : Position{0};
  }
  auto store = open_rocksdb_view(options);
  if (!store && !is_in_use && store.error().code == ErrorCode::damaged) {
    // As if somebody wrote: it passes over what is missing.
    log.store_error = store.error();
    options.has_writer = true;
    store = open_rocksdb_view(options);
    if (!store) return tl::unexpected(*log.store_error);
  }
  if (!store) return tl::unexpected(store.error());
  log.store = std::move(*store);
  if (is_in_use || log.store_error) return log;
  const auto is_torn = has_torn_write_ahead_log(folder.log());
  if (!is_torn) return tl::unexpected(is_torn.error());
  log.is_torn = *is_torn;
  return log;
}

}  // namespace

Result<UnprovedLog> open_unproved_log(const std::string& root) {
  const LogFolder folder = folder_of(root);
  for (;;) {
    const auto is_held = base::is_locked(folder.lock());
    if (!is_held) return tl::unexpected(is_held.error());
    auto log = open_view(folder, *is_held);
    if (*is_held) return log;
    // A server that came meanwhile may have removed what was being opened, or appended what is not
    // yet durable: then look again.
    const auto is_held_now = base::is_locked(folder.lock());
    if (!is_held_now) return tl::unexpected(is_held_now.error());
    if (!*is_held_now) return log;
  }
}

Result<OpenedLog> open_log(const std::string& root, LogMode mode, base::Random& random,
                           const LogOptions& options) {
  if (mode == LogMode::read_write) return open_to_write(folder_of(root), random, options);
  auto log = open_unproved_log(root);
  if (!log) return tl::unexpected(log.error());
  if (log->store_error) return tl::unexpected(*log->store_error);
  if (log->head_error) return tl::unexpected(*log->head_error);
  return prove(std::move(log->store), log->head);
}

}  // namespace eventlog
