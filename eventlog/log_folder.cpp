#include "eventlog/log_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "eventlog/rocksdb_store.hpp"

namespace eventlog {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

std::string range_text(Position from, Position through) {
  if (from == through) return "event " + std::to_string(from.value) + " is";
  return "events " + std::to_string(from.value) + " to " + std::to_string(through.value) + " are";
}

std::string where_of(Position position) {
  return "position " + std::to_string(position.value);
}

base::Error errno_error(const std::string& what, const std::string& path) {
  const bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS;
  return {is_refused ? ErrorCode::refused : ErrorCode::io, what + ": " + std::strerror(errno),
          path};
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

bool has_log(const LogFolder& folder) {
  return exists(folder.log() + "/CURRENT");
}

// ---- the folder ----

Result<bool> sync_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(errno_error("cannot open the folder", path));
  const bool is_synced = ::fsync(fd) == 0;
  const base::Error error = errno_error("cannot sync the folder", path);
  ::close(fd);
  if (!is_synced) return tl::unexpected(error);
  return true;
}

// Makes the folder and those above it that are missing, 0700, and makes their names durable.
Result<bool> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno == EEXIST) return true;
    const std::string parent = fs::path(path).parent_path().string();
    if (errno != ENOENT || parent.empty() || parent == path) {
      return tl::unexpected(errno_error("cannot make the folder", path));
    }
    if (auto ok = make_folder(parent); !ok) return ok;
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return tl::unexpected(errno_error("cannot make the folder", path));
    }
  }
  const std::string parent = fs::path(path).parent_path().string();
  return sync_folder(parent.empty() ? "." : parent);
}

// A folder without a log may be made into one only when nothing else lies in it.
Result<bool> check_is_ours(const LogFolder& folder) {
  struct stat status {};
  if (::stat(folder.root.c_str(), &status) != 0) {
    return tl::unexpected(errno_error("cannot look at the data folder", folder.root));
  }
  if (!S_ISDIR(status.st_mode)) {
    return failure(ErrorCode::invalid, "the data folder is not a folder", folder.root);
  }
  if (status.st_uid != ::geteuid()) {
    return failure(ErrorCode::refused,
                   "the data folder belongs to user " + std::to_string(status.st_uid) +
                       ", and this is user " + std::to_string(::geteuid()) +
                       "; run as that user or give another folder",
                   folder.root);
  }
  if (::access(folder.root.c_str(), R_OK | W_OK | X_OK) != 0) {
    return tl::unexpected(errno_error("the data folder is not writable", folder.root));
  }
  if (exists(folder.log())) {
    std::error_code failed;
    const bool is_empty = fs::is_empty(folder.log(), failed);
    if (failed || is_empty || has_log(folder)) return true;
    return failure(ErrorCode::invalid, "the folder holds files, but no log", folder.log());
  }
  return true;
}

Result<bool> check_no_foreign_files(const LogFolder& folder) {
  // What a server, its workers and its configuration keep beside the log.
  constexpr std::array<std::string_view, 12> kOurs = {"lock",    "head",     "log",  "index",
                                                      "views",   "evidence", "run",  "sessions",
                                                      "workers", "keys",     "logs", "steno.toml"};
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder.root, failed)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end()) continue;
    return failure(ErrorCode::invalid,
                   "the folder holds no log, but other files, such as '" + name +
                       "'; give an empty or a new folder",
                   folder.root);
  }
  if (failed) {
    return failure(ErrorCode::io, "cannot list the data folder: " + failed.message(), folder.root);
  }
  return true;
}

Result<bool> prepare_folder(const LogFolder& folder) {
  if (auto ok = make_folder(folder.root); !ok) return ok;
  if (auto ok = check_is_ours(folder); !ok) return ok;
  if (!has_log(folder)) {
    if (auto ok = check_no_foreign_files(folder); !ok) return ok;
  }
  // What was copied here by hand may have come with wider permissions.
  if (::chmod(folder.root.c_str(), 0700) != 0) {
    return tl::unexpected(errno_error("cannot close the data folder to others", folder.root));
  }
  return true;
}

base::Error all_missing(const Checkpoint& head, const LogFolder& folder) {
  return {ErrorCode::damaged,
          range_text(Position{1}, head.position) + " missing: there is a head file, but no log",
          folder.log()};
}

// ---- evidence ----

Result<bool> keep_evidence(const LogFolder& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder.log(), failed)) {
    if (entry.path().extension() != ".log") continue;
    if (auto ok = make_folder(folder.evidence()); !ok) return ok;
    const std::string kept = folder.evidence() + "/" + entry.path().filename().string();
    if (::link(entry.path().c_str(), kept.c_str()) != 0 && errno != EEXIST) {
      return tl::unexpected(errno_error("cannot keep the write-ahead log as evidence", kept));
    }
  }
  return true;  // no folder yet: there is nothing to keep
}

void drop_evidence(const LogFolder& folder) {
  std::error_code ignored;  // what stays is replaced or dropped next time
  fs::remove_all(folder.evidence(), ignored);
}

// ---- proof of the log's end ----

Result<bool> check_head_block(const BlockView& block, const Checkpoint& head) {
  if (block.header.last() == head.position && block.hash == head.hash &&
      block.header.epoch == head.epoch) {
    return true;
  }
  return failure(ErrorCode::damaged,
                 "the log holds another block than the one that was acknowledged there",
                 where_of(head.position));
}

Result<BlockView> parse_at(const StoredBlock& stored, Position position) {
  auto block = parse_block(stored.facts);
  if (!block) return failure(block.error().code, block.error().text, where_of(position));
  return block;
}

// Chain and density of the last blocks, from the last one backwards.
Result<bool> prove_last_blocks(BlockStore& store) {
  const auto stored = store.read_reverse(store.tail(), kProvedBytes);
  if (!stored) return tl::unexpected(stored.error());
  BlockHeader after;
  Position expected_last = store.tail();
  for (const StoredBlock& one : *stored) {
    const auto block = parse_at(one, expected_last);
    if (!block) return tl::unexpected(block.error());
    const BlockHeader& header = block->header;
    if (header.last() != expected_last) {
      return failure(ErrorCode::damaged,
                     range_text(header.last().next(), expected_last) + " missing",
                     where_of(header.last().next()));
    }
    const bool is_last = &one == &stored->front();
    if (!is_last && after.log != header.log) {
      return failure(ErrorCode::wrong_log, "the block is of another log than the one before it",
                     where_of(after.first));
    }
    if (!is_last && after.previous != block->hash) {
      return failure(ErrorCode::damaged,
                     "the chain is broken: the block does not follow the one before it",
                     where_of(after.first));
    }
    after = header;
    expected_last = header.first.plus(-1);
  }
  return true;
}

Result<bool> prove_head(BlockStore& store, const Checkpoint& head) {
  if (head.position.value == 0) return true;
  const Position tail = store.tail();
  if (tail < head.position) {
    return failure(ErrorCode::damaged,
                   range_text(tail.next(), head.position) +
                       " missing: the log is shorter than what was acknowledged",
                   where_of(tail.next()));
  }
  const auto stored = store.read(head.position, 1, false);
  if (!stored) return tl::unexpected(stored.error());
  if (stored->empty()) {
    return failure(ErrorCode::damaged, range_text(head.position, head.position) + " missing",
                   where_of(head.position));
  }
  const auto block = parse_at(stored->front(), head.position);
  if (!block) return tl::unexpected(block.error());
  if (block->header.log != head.log) {
    return failure(ErrorCode::wrong_log,
                   "the head file is of log " + head.log.text() + ", and the folder holds log " +
                       block->header.log.text(),
                   where_of(head.position));
  }
  return check_head_block(*block, head);
}

Result<bool> prove_end(BlockStore& store, const std::optional<Checkpoint>& head) {
  if (store.tail().value > 0) {
    if (store.first() != Position{1}) {
      return failure(ErrorCode::damaged,
                     range_text(Position{1}, store.first().plus(-1)) + " missing", where_of({1}));
    }
    if (auto ok = prove_last_blocks(store); !ok) return ok;
  }
  return head ? prove_head(store, *head) : true;
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
Result<OpenedLog> open_store(const LogFolder& folder, const std::optional<Checkpoint>& head) {
  RocksDbStoreOptions options;
  options.folder = folder.log();
  auto store = open_rocksdb_store(options);
  auto opened = store ? prove(std::move(*store), head) : tl::unexpected(store.error());
  if (!opened && opened.error().code == ErrorCode::damaged && exists(folder.evidence())) {
    opened.error().text += "; the write-ahead log as it was found is kept in " + folder.evidence();
  }
  return opened;
}

Result<OpenedLog> open_to_write(const LogFolder& folder, base::Random& random) {
  if (auto ok = prepare_folder(folder); !ok) return tl::unexpected(ok.error());
  auto lock = base::FileLock::take(folder.lock());
  if (!lock) {
    if (lock.error().code == ErrorCode::in_use) {
      lock.error().text +=
          ": stop it first, give another data folder, or read beside it with steno replay";
    }
    return tl::unexpected(lock.error());
  }
  auto head = read_head_file(folder.head());
  if (!head) return tl::unexpected(head.error());
  if (*head && !has_log(folder)) {
    // Before a database is made here, which would look like a log of its own.
    return tl::unexpected(all_missing(**head, folder));
  }
  for (const std::string& path : {folder.log(), folder.index(), folder.views()}) {
    if (auto ok = make_folder(path); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = keep_evidence(folder); !ok) return tl::unexpected(ok.error());
  auto opened = open_store(folder, *head);
  if (!opened) return opened;
  auto head_file = open_head_file(folder.head());
  if (!head_file) return tl::unexpected(head_file.error());
  if (auto ok = sync_folder(folder.root); !ok) return tl::unexpected(ok.error());
  drop_evidence(folder);
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
  if (!has_log(folder)) {
    if (log.head) return tl::unexpected(all_missing(*log.head, folder));
    return failure(ErrorCode::not_found, "there is no log in this folder", folder.root);
  }
  RocksDbViewOptions options;
  options.folder = folder.log();
  options.allow_damaged_end = true;
  options.has_writer = is_in_use;
  if (is_in_use) options.through = log.head ? log.head->position : Position{0};
  auto store = open_rocksdb_view(options);
  if (!store) return tl::unexpected(store.error());
  log.store = std::move(*store);
  log.is_torn = !is_in_use && has_torn_write_ahead_log(folder.log());
  return log;
}

}  // namespace

Result<UnprovedLog> open_unproved_log(const std::string& root) {
  const LogFolder folder{root};
  for (;;) {
    auto is_held = base::is_locked(folder.lock());
    if (!is_held) return tl::unexpected(is_held.error());
    auto log = open_view(folder, *is_held);
    if (!log || log->is_in_use) return log;
    auto is_held_now = base::is_locked(folder.lock());
    if (!is_held_now) return tl::unexpected(is_held_now.error());
    // A server that came meanwhile may have appended what is not yet durable: look again.
    if (!*is_held_now) return log;
  }
}

Result<OpenedLog> open_log(const std::string& root, LogMode mode, base::Random& random) {
  if (mode == LogMode::read_write) return open_to_write(LogFolder{root}, random);
  auto log = open_unproved_log(root);
  if (!log) return tl::unexpected(log.error());
  if (log->head_error) return tl::unexpected(*log->head_error);
  return prove(std::move(log->store), log->head);
}

}  // namespace eventlog
