// Copies of files, folders and logs. Files are copied in pieces, and every removal can be repeated
// after a crash.
#include "eventlog/folder/copy_files.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "eventlog/base/list_files.hpp"
#include "eventlog/folder/data_layout.hpp"

namespace eventlog {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

namespace {

constexpr std::size_t kCopyBytes = 1 << 20;  // size of one read and one write
// A copy is synced after each piece of this size. That bounds the dirty pages in the page cache,
// which the log's own syncs would wait behind.
constexpr std::size_t kSyncBytes = 16 << 20;

Result<void> not_listed(const std::string& path, const std::error_code& error) {
  return failure(ErrorCode::io, "cannot be listed: " + error.message(), path);
}

Result<void> copy_file(const std::string& from, const std::string& to, Disk& disk) {
  // The rest of a longer old file would become the end of this one.
  if (!is_gone(to)) return failure(ErrorCode::io, "cannot be copied: this file is in the way", to);
  std::ifstream source(from, std::ios::binary);
  if (!source) return failure(ErrorCode::io, "the file cannot be opened", from);
  auto target = disk.open(to);
  if (!target) return tl::unexpected(target.error());
  Bytes bytes(kCopyBytes, '\0');
  std::size_t unsynced = 0;
  for (std::size_t offset = 0; source;) {
    source.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto count = static_cast<std::size_t>(source.gcount());
    if (source.bad()) return failure(ErrorCode::io, "the file cannot be read", from);
    if (count == 0) break;
    if (auto ok = (*target)->write(offset, ByteView(bytes).substr(0, count)); !ok) return ok;
    offset += count;
    unsynced += count;
    if (unsynced < kSyncBytes) continue;
    if (auto ok = (*target)->sync(); !ok) return ok;
    unsynced = 0;
  }
  return {};
}

}  // namespace

Result<void> copy_folder(const std::string& from, const std::string& to, Disk& disk) {
  const auto entries = base::list_files(from);
  if (!entries) return tl::unexpected(entries.error());
  if (auto made = disk.make_folder(to); !made) return tl::unexpected(made.error());
  for (const base::ListedFile& entry : *entries) {
    const std::string path = to + "/" + entry.name;
    Result<void> copied;
    if (entry.kind == base::FileKind::folder) copied = copy_folder(entry.path, path, disk);
    // RocksDB's lock belongs to the process that has that folder open.
    const bool is_copied = entry.kind == base::FileKind::file && entry.name != "LOCK";
    if (is_copied) copied = copy_file(entry.path, path, disk);
    if (!copied) return copied;
  }
  return {};
}

Result<void> part_from_others(const std::string& folder, Disk& disk) {
  const auto entries = base::list_files(folder);
  if (!entries) return tl::unexpected(entries.error());
  for (const base::ListedFile& entry : *entries) {
    struct stat status {};
    if (::stat(entry.path.c_str(), &status) != 0) {
      return tl::unexpected(errno_error("cannot look at a file", entry.path));
    }
    if (!S_ISREG(status.st_mode) || status.st_nlink < 2) continue;
    const std::string own = unfinished(entry.path);
    if (auto ok = copy_file(entry.path, own, disk); !ok) return ok;
    if (auto ok = disk.rename(own, entry.path); !ok) return ok;
  }
  return {};
}

void remove_durably(const std::string& path, Disk& disk) {
  disk.remove_all(path);
  static_cast<void>(disk.sync_folder(fs::path(path).parent_path().string()));
}

void remove_emptied(const std::string& folder, Disk& disk) {
  std::error_code failed;
  // Also if it is gone already: its removal may not be durable, if the process was killed.
  if (is_gone(folder) || fs::is_empty(folder, failed)) return remove_durably(folder, disk);
  static_cast<void>(disk.sync_folder(folder));
}

Result<void> make_empty_folder(const std::string& folder, Disk& disk) {
  const auto made = disk.make_folder(folder);
  if (!made && made.error().code == ErrorCode::not_found) {
    return failure(ErrorCode::invalid, "the folder above it is missing; make it first", folder);
  }
  if (!made) return tl::unexpected(made.error());
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  const bool is_empty = is_folder && fs::is_empty(folder, error);
  if (error) return not_listed(folder, error);
  if (is_empty) return close_empty_folder(folder);
  if (!is_folder) return failure(ErrorCode::invalid, "this is no folder; give a new one", folder);
  return failure(ErrorCode::invalid, "there is something in the folder; give a new one", folder);
}

Result<void> sync_all(const std::string& folder, Disk& disk) {
  const auto entries = base::list_files(folder);
  if (!entries) return tl::unexpected(entries.error());
  for (const base::ListedFile& entry : *entries) {
    if (entry.kind != base::FileKind::file) continue;
    if (auto ok = disk.settle(entry.path); !ok) return ok;
  }
  return disk.sync_folder(folder);
}

Result<void> write_head(const LogFolder& folder, const Checkpoint& head, Disk& disk) {
  {
    auto file = open_head_file(folder.head(), disk);
    if (!file) return tl::unexpected(file.error());
    if (auto ok = (*file)->write(head); !ok) return ok;
  }
  return disk.settle(folder.head());
}

void remove_copy(const std::string& folder, Disk& disk) {
  for (const char* name :
       {"/log", "/log.tmp", "/head", "/head.new", "/base", "/erased", "/erased.new"}) {
    disk.remove_all(folder + name);
  }
  // The label goes last, so that an unfinished removal is found again.
  static_cast<void>(disk.sync_folder(folder));
  disk.remove_all(folder + "/label");
  remove_emptied(folder, disk);
}

bool holds(const std::string& path, ByteView bytes) {
  std::ifstream file(path, std::ios::binary);
  return file && Bytes(std::istreambuf_iterator<char>(file), {}) == bytes;
}

void remove_unmarked(const std::string& folder, const std::string& mark, Disk& disk) {
  const std::string part = unfinished(mark);
  const auto entries = base::list_files(folder);
  if (!entries && entries.error().code != ErrorCode::not_found) return;
  for (const base::ListedFile& entry : entries.value_or(std::vector<base::ListedFile>())) {
    if (entry.path != part || entry.kind != base::FileKind::file) return;
  }
  disk.remove_all(part);
  remove_emptied(folder, disk);
}

Result<std::unique_ptr<BlockStore>> open_log_view(const std::string& folder) {
  RocksDbViewOptions options;
  options.folder = folder;
  options.has_writer = false;
  return open_rocksdb_view(options);
}

Result<void> prove_copy(const LogFolder& copy) {
  const auto log = open_unproved_log(copy.root);
  if (!log) return tl::unexpected(log.error());
  for (const auto& error : {log->store_error, log->head_error, log->base_error}) {
    if (error) return tl::unexpected(*error);
  }
  return to_result(verify_log(*log->store, log->head, {}, besides_of(*log)));
}

Result<void> to_result(const VerifyReport& report) {
  if (report.problems.empty()) return {};
  const Problem& first = report.problems.front();
  return failure(
      first.code,
      first.text +
          (report.problems.size() > 1 ? "; and more, which steno replay verify lists" : ""),
      "position " + std::to_string(first.position.value));
}

}  // namespace eventlog
