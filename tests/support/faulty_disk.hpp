// A disk for one test, below the product's own code: real files, with a record of every sync. It
// counts every operation that changes something, lets one fail, runs full, and cuts the power.
// After that, unsynced bytes are lost or torn. Names that were made, changed or removed since their
// folder was synced are as before.
//
// It is stricter than many operating systems: syncing a file does not sync its name. It is as kind
// as disks are: overwritten bytes change in sectors of 512 bytes.
#pragma once

#include <functional>
#include <memory>

#include "eventlog/base/random.hpp"
#include "eventlog/store/disk.hpp"

namespace support {

enum class PowerLoss {
  drops,  // all unsynced data is lost
  tears,  // a part of it, chosen by the seed, survives
};

class FaultyDisk final : public eventlog::Disk {
 public:
  // Removed files stay in `graveyard`, on the same disk, until their removal is durable.
  FaultyDisk(std::uint64_t seed, const std::string& graveyard);
  ~FaultyDisk() override;

  // ---- faults to come; operations, writes and syncs of files are counted from 1 ----

  // The process dies in this operation: it and all later ones change nothing, except that a write
  // can leave a part of its bytes. A caller that goes on is told that names cannot be changed, and
  // that bytes are written and synced. Otherwise RocksDB, built with assertions, would end the
  // test.
  void crash_at(std::int64_t operation);
  // This write fails after half of its bytes.
  void fail_write(std::int64_t number);
  // This sync fails. Its bytes stay readable, and never become durable, whatever is synced later.
  void fail_sync(std::int64_t number);
  // The canary: syncs of files do nothing and report success.
  void ignore_syncs();
  // Once this many bytes are written from here on, writes fail after the part that fits.
  void set_space(std::int64_t bytes);

  // ---- after the fault ----

  // Loses everything that is not durable, or a part of it. No file may be open.
  void cut_power(PowerLoss how);
  // Another process begins: nothing fails any more. Data that was not durable still is not.
  void restart();

  std::int64_t operations() const;
  std::int64_t writes() const;
  std::int64_t syncs() const;
  bool has_crashed() const;
  // Returns the first operation that failed, and its target.
  std::string fault() const;

  // ---- eventlog::Disk ----

  base::Result<std::unique_ptr<eventlog::DiskFile>> open(const std::string& path) override;
  base::Result<bool> make_folder(const std::string& path) override;
  base::Result<bool> link(const std::string& from, const std::string& to) override;
  base::Result<void> rename(const std::string& from, const std::string& to) override;
  void remove_all(const std::string& path) override;
  base::Result<void> sync_folder(const std::string& path) override;
  base::Result<void> settle(const std::string& path) override;
  void* rocksdb_env() override { return env_.get(); }

  // ---- for RocksDB's file system; `doing` carries out each operation that is admitted ----

  using FileId = std::uint64_t;
  using Doing = std::function<bool()>;
  using Writing = std::function<bool(base::ByteView part)>;

  // Makes a new file in the place of an older one, if there is one.
  base::Result<void> create(const std::string& path, const Doing& doing);
  base::Result<void> remove(const std::string& path);
  base::Result<void> truncate(FileId file, std::size_t size, const Doing& doing);
  base::Result<void> append(FileId file, base::ByteView bytes, const Writing& writing);
  base::Result<void> sync(FileId file, const Doing& doing);
  static FileId id_of(const std::string& path);

 private:
  class Model;
  class File;
  const std::unique_ptr<Model> model_;
  const std::unique_ptr<void, void (*)(void*)> env_;
};

}  // namespace support
