// Opening to write: check and lock the folder, keep evidence, open the database, prove its end,
// drop the evidence. Opening to read: look, and look again if a server came or went meanwhile.
#include "eventlog/folder/open_log.hpp"

#include <cstring>
#include <filesystem>
#include <iterator>

#include "eventlog/folder/archive_chain.hpp"
#include "eventlog/folder/log_place.hpp"
#include "eventlog/log/tail_proof.hpp"
#include "eventlog/rocksdb/write_ahead_log.hpp"
#include "eventlog/store/memory_store.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;

constexpr int kBaseAttemptsMax = 3;

// Removes trailing slashes, so that the parent folder can be found.
LogFolder folder_of(std::string root) {
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return {std::move(root)};
}

// Says also where one is that may be meant: a home of Steno has its log in its folder data.
std::string no_log_text(const LogFolder& folder) {
  const LogFolder below{folder.root + "/data"};
  return "there is no log in this folder" +
         (below.has_log() ? "; there is one in " + below.root : std::string());
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

// Reports events that may be missing behind the log's end, judged by the head file. That file is
// made before the log's first block, and always has a whole head.
std::optional<base::Error> doubt_in_head(const HeadState& head, Position tail,
                                         const LogFolder& folder) {
  if (tail.value == 0) return std::nullopt;
  const Position known = head.head ? std::max(tail, head.head->position) : tail;
  const auto doubt = [&](const std::string& what) {
    return base::Error{ErrorCode::damaged,
                       what + ": events behind position " + std::to_string(known.value) +
                           " may be missing; restore it, or make a log of what is there with "
                           "steno replay salvage",
                       folder.head()};
  };
  if (!head.is_there) return doubt("the head file is missing");
  // A later head names a block that was stored before it. If the log goes on behind its whole head,
  // the torn slot has lost nothing.
  const Position whole = head.head ? head.head->position : Position{};
  if (head.is_doubtful && whole == known) {
    return doubt("a slot of the head file is damaged, and may be the newest one");
  }
  return std::nullopt;
}

// Proves the log's end, for both ways of opening.
Result<OpenedLog> prove(std::unique_ptr<BlockStore> store, const std::optional<Checkpoint>& head,
                        std::optional<LogBase> base) {
  const Position begin = base ? base->anchor.at.position : Position{};
  if (auto ok = prove_end(*store, head, begin); !ok) return tl::unexpected(ok.error());
  auto tail = read_tail(*store);
  if (!tail) return tl::unexpected(tail.error());
  OpenedLog opened;
  opened.base = std::move(base);
  opened.tail = *tail;
  opened.is_new = tail->position.value == 0;
  opened.store = std::move(store);
  return opened;
}

// Opens the store for appending and proves its end.
Result<OpenedLog> open_store(const LogFolder& folder, const HeadState& head,
                             const LogOptions& options) {
  RocksDbStoreOptions wanted;
  wanted.folder = folder.log();
  wanted.disk = &options.disk;
  wanted.write_buffer_bytes = options.write_buffer_bytes;
  auto opened = [&]() -> Result<OpenedLog> {
    auto store = open_rocksdb_store(wanted);
    if (!store) return tl::unexpected(store.error());
    auto base = read_base(folder, **store);
    if (!base) return tl::unexpected(base.error());
    return prove(std::move(*store), head.head, std::move(*base));
  }();
  if (opened) {
    const auto doubt = doubt_in_head(head, opened->tail.position, folder);
    if (doubt) opened = tl::unexpected(*doubt);
  }
  if (!opened) return opened;
  if (auto ok = check_numbers(opened->tail); !ok) return tl::unexpected(ok.error());
  return opened;
}

// Undoes the changes that opening the database made to its folder. `is_first` is the result of
// keep_evidence.
base::Error refused(base::Error error, const LogFolder& folder, bool is_first, Disk& disk) {
  if (error.code == ErrorCode::in_use) {
    // Another process changes these files; this one has not.
    if (is_first) static_cast<void>(drop_evidence(folder, disk));
    return error;
  }
  // Do not write to a failing disk again.
  const bool is_put_back =
      is_first && error.code != ErrorCode::io && put_evidence_back(folder, disk);
  std::error_code failed;
  if (!is_put_back && std::filesystem::exists(folder.evidence(), failed)) {
    error.text += "; the log's files as they were found are kept in " + folder.evidence();
  }
  return error;
}

Result<OpenedLog> open_to_write(const LogFolder& folder, base::Random& random,
                                const LogOptions& options) {
  Disk& disk = options.disk;
  if (auto ok = check_restored(folder); !ok && !options.is_being_restored) {
    return tl::unexpected(ok.error());
  }
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
  const auto head = inspect_head_file(folder.head());
  if (!head) return tl::unexpected(head.error());
  if (head->head && !folder.has_log()) {
    // Checked before a database is made here, which would look like a log of its own.
    return tl::unexpected(all_missing(*head->head, folder));
  }
  if (auto ok = make_log_folders(folder, disk); !ok) return tl::unexpected(ok.error());
  const auto is_first = keep_evidence(folder, disk);
  if (!is_first) return tl::unexpected(is_first.error());
  auto opened = open_store(folder, *head, options);
  if (!opened) return tl::unexpected(refused(opened.error(), folder, *is_first, disk));
  auto head_file = open_head_file(folder.head(), disk);
  if (!head_file) return tl::unexpected(head_file.error());
  if (auto ok = disk.sync_folder(folder.root); !ok) return tl::unexpected(ok.error());
  if (auto ok = drop_evidence(folder, disk); !ok) return tl::unexpected(ok.error());
  auto place = LogPlace::of(folder);
  if (!place) return tl::unexpected(place.error());
  opened->lock = std::move(*lock);
  opened->head = watch_place(std::move(*head_file), std::move(*place));
  if (opened->is_new) opened->tail = fresh_tail(random);
  return opened;
}

// Opens the database in any way that works; an empty store if there is none.
void open_store_view(const LogFolder& folder, RocksDbViewOptions options, UnprovedLog& log) {
  options.folder = folder.log();
  options.allow_damage = true;
  options.has_writer = log.is_in_use;
  auto store = open_rocksdb_view(options);
  if (!store) log.store_error = store.error();
  if (!store && !log.is_in_use && store.error().code == ErrorCode::damaged) {
    // Open as if a writer were there: this way passes over missing files.
    options.has_writer = true;
    store = open_rocksdb_view(options);
  }
  log.store = store ? std::move(*store) : std::make_unique<MemoryStore>();
}

void set_base(UnprovedLog& log, std::optional<LogBase> base) {
  log.base = std::move(base);
  log.base_error.reset();
  if (log.base && !log.base->rows) log.base_error = log.base->rows.error();
}

// Adds the archives as the log's beginning.
Result<void> chain(UnprovedLog& log, const std::vector<std::string>& archives) {
  std::vector<std::unique_ptr<BlockStore>> parts;
  std::vector<LogFolder> folders;
  for (const std::string& root : archives) {
    folders.push_back(folder_of(root));
    RocksDbViewOptions options;
    options.folder = folders.back().log();
    options.has_writer = false;
    auto part = open_rocksdb_view(options);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(std::move(*part));
    auto erased = read_later_erasures(folders.back().erased());
    if (!erased) return tl::unexpected(erased.error());
    std::move(erased->erasures.begin(), erased->erasures.end(),
              std::back_inserter(log.later.erasures));
  }
  parts.push_back(std::move(log.store));
  auto chained = chain_stores(std::move(parts));
  if (!chained) return tl::unexpected(chained.error());
  log.store = std::move(*chained);
  log.base.reset();
  log.base_error.reset();
  if (log.store->first() == Position{1}) return {};
  log.base_error = failure(ErrorCode::damaged, missing_text({1}, log.store->first().plus(-1)) +
                                                   " in the archives that were given")
                       .value();
  for (const LogFolder& folder : folders) {
    auto base = read_base(folder, *log.store);
    if (!base) continue;
    set_base(log, std::move(*base));
  }
  return {};
}

// Opens the visible part of the log; while a server is at work, only up to its head. Returns none
// when a server has begun the log meanwhile.
Result<std::optional<UnprovedLog>> open_view(const LogFolder& folder, bool is_in_use,
                                             const std::vector<std::string>& archives) {
  UnprovedLog log;
  log.is_in_use = is_in_use;
  log.foreign = foreign_files(folder);
  // Read the head first: the store is then never shorter than it.
  const auto found = inspect_head_file(folder.head());
  const HeadState head = found.value_or(HeadState{});
  log.head = head.head;
  if (!found) log.head_error = found.error();
  if (folder.has_log()) {
    RocksDbViewOptions options;
    if (is_in_use && head.is_there) {
      options.through = log.head ? log.head->position : Position{0};
    }
    open_store_view(folder, options, log);
  } else {
    const auto nothing = check_no_log(folder);
    if (log.head) {
      log.store_error = all_missing(*log.head, folder);
    } else if (!nothing) {
      log.store_error = nothing.error();
    } else {
      return failure(ErrorCode::not_found, no_log_text(folder), folder.root);
    }
    log.store = std::make_unique<MemoryStore>();
  }
  if (log.store_error && log.store_error->code != ErrorCode::damaged) {
    return tl::unexpected(*log.store_error);
  }
  auto erased = read_later_erasures(folder.erased());
  if (!erased) return tl::unexpected(erased.error());
  log.later = std::move(*erased);
  if (found) log.head_error = doubt_in_head(head, log.store->tail(), folder);
  if (is_in_use && log.head_error && !head.is_there) {
    const auto later = inspect_head_file(folder.head());
    if (later && later->is_there) return std::nullopt;
  }
  if (auto base = read_base(folder, *log.store)) {
    set_base(log, std::move(*base));
  } else {
    log.base_error = base.error();
  }
  if (!archives.empty() && !log.store_error) {
    if (auto ok = chain(log, archives); !ok) return tl::unexpected(ok.error());
  }
  if (is_in_use || log.store_error) return log;
  const auto is_torn = has_torn_write_ahead_log(folder.log());
  if (!is_torn) return tl::unexpected(is_torn.error());
  log.is_torn = *is_torn;
  return log;
}

}  // namespace

Result<UnprovedLog> open_unproved_log(const std::string& root,
                                      const std::vector<std::string>& archives) {
  const LogFolder folder = folder_of(root);
  if (auto ok = check_readable(folder); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_restored(folder); !ok) return tl::unexpected(ok.error());
  for (int attempt = 1;; ++attempt) {
    const auto is_held = base::is_locked(folder.lock());
    if (!is_held) return tl::unexpected(is_held.error());
    auto log = open_view(folder, *is_held, archives);
    if (!log) return tl::unexpected(log.error());
    if (!*log) continue;
    // The base of an earlier first block is removed when a server trims the log further.
    if (*is_held && (*log)->base_error && attempt < kBaseAttemptsMax) continue;
    if (*is_held) return std::move(**log);
    // A server that started meanwhile may have removed what was being opened, or appended blocks
    // that are not yet durable: look again.
    const auto is_held_now = base::is_locked(folder.lock());
    if (!is_held_now) return tl::unexpected(is_held_now.error());
    if (!*is_held_now) return std::move(**log);
  }
}

Result<OpenedLog> open_log(const std::string& root, LogMode mode, base::Random& random,
                           const LogOptions& options) {
  if (mode == LogMode::read_write) return open_to_write(folder_of(root), random, options);
  auto log = open_unproved_log(root, options.archives);
  if (!log) return tl::unexpected(log.error());
  // A caller that needs rows which the base lacks has the archives instead.
  if (log->base) log->base_error.reset();
  for (const auto& error : {log->store_error, log->head_error, log->base_error}) {
    if (error) return tl::unexpected(*error);
  }
  auto opened = prove(std::move(log->store), log->head, std::move(log->base));
  if (opened) opened->later = std::move(log->later);
  return opened;
}

VerifyBesides besides_of(const UnprovedLog& log) {
  VerifyBesides besides;
  besides.later = log.later;
  if (log.base && log.base->rows) begin_at(*log.base, besides);
  return besides;
}

}  // namespace eventlog
