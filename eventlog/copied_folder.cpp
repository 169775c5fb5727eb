#include "eventlog/copied_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace eventlog {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

namespace {

Result<bool> not_listed(const std::string& path, const std::error_code& error) {
  return failure(ErrorCode::io, "cannot be listed: " + error.message(), path);
}

}  // namespace

void remove_durably(const std::string& path, Disk& disk) {
  disk.remove_all(path);
  static_cast<void>(disk.sync_folder(fs::path(path).parent_path().string()));
}

void remove_emptied(const std::string& folder, Disk& disk) {
  std::error_code failed;
  // Also one that is gone: who removed it may have been killed before that was durable.
  if (is_gone(folder) || fs::is_empty(folder, failed)) return remove_durably(folder, disk);
  static_cast<void>(disk.sync_folder(folder));
}

Result<bool> make_empty_folder(const std::string& folder, Disk& disk) {
  const auto made = disk.make_folder(folder);
  if (!made && made.error().code == ErrorCode::not_found) {
    return failure(ErrorCode::invalid, "the folder above it is missing; make it first", folder);
  }
  if (!made) return tl::unexpected(made.error());
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  const bool is_empty = is_folder && fs::is_empty(folder, error);
  if (error) return not_listed(folder, error);
  if (is_empty) return true;
  if (!is_folder) return failure(ErrorCode::invalid, "this is no folder; give a new one", folder);
  return failure(ErrorCode::invalid, "there is something in the folder; give a new one", folder);
}

Result<bool> sync_all(const std::string& folder, Disk& disk) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file()) continue;
    if (auto ok = disk.settle(entry.path().string()); !ok) return ok;
  }
  if (error) return not_listed(folder, error);
  return disk.sync_folder(folder);
}

Result<bool> write_head(const LogFolder& folder, const Checkpoint& head, Disk& disk) {
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
  // The label only then, so that what is not removed yet is found again.
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
  std::error_code error;
  fs::directory_iterator files(folder, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    std::error_code unknown;
    if (files->path() != part || !fs::is_regular_file(files->symlink_status(unknown))) return;
  }
  if (error && !is_gone(folder)) return;
  disk.remove_all(part);
  remove_emptied(folder, disk);
}

Result<std::unique_ptr<BlockStore>> open_log_view(const std::string& folder) {
  RocksDbViewOptions options;
  options.folder = folder;
  options.has_writer = false;
  return open_rocksdb_view(options);
}

Result<bool> prove_copy(const LogFolder& copy) {
  const auto log = open_unproved_log(copy.root);
  if (!log) return tl::unexpected(log.error());
  for (const auto& error : {log->store_error, log->head_error, log->base_error}) {
    if (error) return tl::unexpected(*error);
  }
  return to_result(verify_log(*log->store, log->head, {}, besides_of(*log)));
}

Result<bool> to_result(const VerifyReport& report) {
  if (report.problems.empty()) return true;
  const Problem& first = report.problems.front();
  return failure(
      first.code,
      first.text +
          (report.problems.size() > 1 ? "; and more, which steno replay verify lists" : ""),
      "position " + std::to_string(first.position.value));
}

}  // namespace eventlog
