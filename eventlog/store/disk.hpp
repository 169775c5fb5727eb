// Port: the writing to files that the log's promises rest on. The real one is the operating system;
// in tests one that fails, runs full, or loses whatever was not synced. What is only read, and what
// need not last, goes past it.
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
  // All of the bytes, or an error. They survive the process, and the machine once synced.
  virtual Result<bool> write(std::size_t offset, ByteView bytes) = 0;
  virtual Result<bool> sync() = 0;
};

// Names that were made, changed or removed are durable once their folder is synced. Calls may come
// from several threads. Errors: refused, io.
class Disk {
 public:
  virtual ~Disk() = default;
  // For writing; made when it is missing, 0600.
  virtual Result<std::unique_ptr<DiskFile>> open(const std::string& path) = 0;
  // Makes one folder, 0700. False: it was there. Error not_found: the one above is missing.
  virtual Result<bool> make_folder(const std::string& path) = 0;
  // Gives the file a second name. False: that name is taken.
  virtual Result<bool> link(const std::string& from, const std::string& to) = 0;
  virtual Result<bool> rename(const std::string& from, const std::string& to) = 0;
  // With all that is in it. What cannot be removed stays.
  virtual void remove_all(const std::string& path) = 0;
  virtual Result<bool> sync_folder(const std::string& path) = 0;
  // Syncs a file that another process wrote, and drops its pages from the cache: what is read from
  // here on is what the disk has, also where that process's own sync had failed.
  virtual Result<bool> settle(const std::string& path) = 0;
  // The rocksdb::Env that RocksDB writes through; null: its own.
  virtual void* rocksdb_env() { return nullptr; }
};

Disk& system_disk();

// Puts the file in its place with all of its bytes synced; after a crash it is there whole or not
// at all. The folder is still to be synced.
Result<bool> write_whole(Disk& disk, const std::string& path, ByteView bytes);
// The path that write_whole gives the file until it has all of its bytes.
std::string unfinished(const std::string& path);
// True only when it is certain that nothing has this name.
bool is_gone(const std::string& path);

// What errno says of an operation: refused or io.
base::Error errno_error(const std::string& what, const std::string& path);

}  // namespace eventlog
