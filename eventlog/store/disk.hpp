// Port: the file writes that the log's promises rest on. The real disk is the operating system;
// tests have disks that fail, run full, or lose whatever was not synced. Reads, and files that need
// not last, do not use this port.
#pragma once

#include <memory>
#include <string>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace eventlog {

using base::ByteView;
using base::Result;

class DiskFile {
 public:
  virtual ~DiskFile() = default;
  // Writes all of the bytes, or fails. They survive the process at once, and the machine once
  // synced.
  virtual Result<void> write(std::size_t offset, ByteView bytes) = 0;
  virtual Result<void> sync() = 0;
};

// New, changed and removed names are durable once their folder is synced. Calls can come from
// several threads. Errors: refused, io.
class Disk {
 public:
  virtual ~Disk() = default;
  // Opens the file for writing, and makes it (0600) when it is missing.
  virtual Result<std::unique_ptr<DiskFile>> open(const std::string& path) = 0;
  // Makes one folder, 0700. False: it exists already. Error not_found: its parent is missing.
  virtual Result<bool> make_folder(const std::string& path) = 0;
  // Gives the file a second name. False: that name is taken.
  virtual Result<bool> link(const std::string& from, const std::string& to) = 0;
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  // Removes the path with everything in it, best effort: what cannot be removed stays.
  virtual void remove_all(const std::string& path) = 0;
  virtual Result<void> sync_folder(const std::string& path) = 0;
  // Syncs a file that another process wrote, and drops its pages from the cache. Later reads return
  // what is on the disk, even if that process's own sync had failed.
  virtual Result<void> settle(const std::string& path) = 0;
  // The rocksdb::Env that RocksDB must write through; null: RocksDB's own.
  virtual void* rocksdb_env() { return nullptr; }
};

Disk& system_disk();

// Puts the file in its place with all of its bytes synced. After a crash it is there whole or not
// at all. The caller must still sync the folder.
Result<void> write_whole(Disk& disk, const std::string& path, ByteView bytes);
// Returns the path that write_whole gives the file until it is complete.
std::string unfinished(const std::string& path);
// True only when it is certain that nothing has this name.
bool is_gone(const std::string& path);

// Returns the error for a failed operation, from errno: refused or io.
base::Error errno_error(const std::string& what, const std::string& path);

}  // namespace eventlog
