// A disk for one test, below the product's own code: real files, of which it knows what was synced.
// It counts every operation that changes something, lets one fail, runs full, and cuts the power:
// bytes that were not synced are lost or torn, and names that were made, changed or removed since
// their folder was synced are as before.
//
// Strict where operating systems are kind: syncing a file does not sync its name. Kind where disks
// are: what is overwritten changes in sectors of 512 bytes.
#pragma once

#include <functional>
#include <memory>

#include "eventlog/base/random.hpp"
#include "eventlog/store/disk.hpp"

namespace support {

enum class PowerLoss {
  drops,  // all that was not synced is gone
  tears,  // a part of it, chosen by the seed, is there
};

class FaultyDisk final : public eventlog::Disk {
 public:
  // Removed files are kept in `graveyard` until they are gone for good; it is on the same disk.
  FaultyDisk(std::uint64_t seed, const std::string& graveyard);
  ~FaultyDisk() override;

  // ---- what shall go wrong; operations, writes and syncs of files are counted from 1 ----

  // The process dies in this operation: it and all later ones change nothing, but for a part of
  // what a write was to write. Whoever goes on all the same is told that names cannot be changed,
  // and that bytes are written and synced: RocksDB, where its assertions are on, would else end the
  // test.
  void crash_at(std::int64_t operation);
  // Half of the bytes are written.
  void fail_write(std::int64_t number);
  // The bytes it was for stay readable, and are never durable, whatever is synced later.
  void fail_sync(std::int64_t number);
  // The canary: syncs of files do nothing and say that they did.
  void ignore_syncs();
  // Writes beyond so many bytes from here on fail, after the part that there is room for.
  void set_space(std::int64_t bytes);
  void free_space();

  // ---- afterwards ----

  // What is not durable is lost, all or in part. No file may be open.
  void cut_power(PowerLoss how);
  // Another process begins: nothing fails any more. What was not durable still is not.
  void restart();

  std::int64_t operations() const;
  std::int64_t writes() const;
  std::int64_t syncs() const;
  bool has_crashed() const;
  // The operation that went wrong first, and on what.
  std::string fault() const;

  // ---- eventlog::Disk ----

  base::Result<std::unique_ptr<eventlog::DiskFile>> open(const std::string& path) override;
  base::Result<bool> make_folder(const std::string& path) override;
  base::Result<bool> link(const std::string& from, const std::string& to) override;
  base::Result<bool> rename(const std::string& from, const std::string& to) override;
  void remove_all(const std::string& path) override;
  base::Result<bool> sync_folder(const std::string& path) override;
  base::Result<bool> settle(const std::string& path) override;
  void* rocksdb_env() override { return env_.get(); }

  // ---- for the file system that RocksDB is given; each does by `doing` what it lets happen ----

  using FileId = std::uint64_t;
  using Doing = std::function<bool()>;
  using Writing = std::function<bool(base::ByteView part)>;

  // A new file, in the place of an older one.
  base::Result<bool> create(const std::string& path, const Doing& doing);
  base::Result<bool> remove(const std::string& path);
  base::Result<bool> truncate(FileId file, std::size_t size, const Doing& doing);
  base::Result<bool> append(FileId file, base::ByteView bytes, const Writing& writing);
  base::Result<bool> sync(FileId file, const Doing& doing);
  static FileId id_of(const std::string& path);

 private:
  class Model;
  class File;
  const std::unique_ptr<Model> model_;
  const std::unique_ptr<void, void (*)(void*)> env_;
};

}  // namespace support
