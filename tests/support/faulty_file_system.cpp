// Maps RocksDB's file operations to those of a FaultyDisk. Its log files for people bypass the
// disk, and its waits after a failure are skipped.
#include "tests/support/faulty_file_system.hpp"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

namespace support {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSDirectory;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

template <class T>
IOStatus status_of(const base::Result<T>& done) {
  if (done) return IOStatus::OK();
  if (done.error().code == base::ErrorCode::busy) return IOStatus::NoSpace(done.error().text);
  return IOStatus::IOError(done.error().text, done.error().where);
}

// True for RocksDB's log files for people, on which no promise rests.
bool is_chatter(const std::string& path) {
  return path.substr(path.rfind('/') + 1).starts_with("LOG");
}

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<FSWritableFile> target, FaultyDisk& disk, FaultyDisk::FileId id)
      : FSWritableFileOwnerWrapper(std::move(target)), disk_(disk), id_(id) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    return status_of(disk_.append(id_, {data.data(), data.size()}, [&](base::ByteView part) {
      return target()->Append(Slice(part.data(), part.size()), options, dbg).ok();
    }));
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override {
    return status_of(
        disk_.truncate(id_, size, [&] { return target()->Truncate(size, options, dbg).ok(); }));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return status_of(disk_.sync(id_, [&] { return target()->Sync(options, dbg).ok(); }));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return Sync(options, dbg);
  }
  IOStatus PositionedAppend(const Slice&, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("direct I/O");
  }
  // A range sync promises nothing, and does not count as a sync of the disk.
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

 private:
  FaultyDisk& disk_;
  const FaultyDisk::FileId id_;
};

class FaultyFolder final : public FSDirectory {
 public:
  FaultyFolder(std::string path, FaultyDisk& disk) : path_(std::move(path)), disk_(disk) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return status_of(disk_.sync_folder(path_));
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  const std::string path_;
  FaultyDisk& disk_;
};

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(FaultyDisk& disk)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    const auto made = disk_.create(
        path, [&] { return target()->NewWritableFile(path, options, file, dbg).ok(); });
    return wrapped(made, path, file);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    const IOStatus opened = target()->ReopenWritableFile(path, options, file, dbg);
    return opened.ok() ? wrapped({}, path, file) : opened;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions&,
                        std::unique_ptr<FSDirectory>* folder, IODebugContext*) override {
    *folder = std::make_unique<FaultyFolder>(path, disk_);
    return IOStatus::OK();
  }
  IOStatus CreateDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return status_of(disk_.make_folder(path));
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions& options,
                              IODebugContext* dbg) override {
    return target()->FileExists(path, options, dbg).ok() ? IOStatus::OK()
                                                         : CreateDir(path, options, dbg);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* dbg) override {
    if (is_chatter(path)) return target()->DeleteFile(path, options, dbg);
    return status_of(disk_.remove(path));
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* dbg) override {
    if (is_chatter(from)) return target()->RenameFile(from, to, options, dbg);
    return status_of(disk_.rename(from, to));
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions&,
                    IODebugContext*) override {
    return status_of(disk_.link(from, to));
  }
  IOStatus Truncate(const std::string& path, size_t size, const IOOptions& options,
                    IODebugContext* dbg) override {
    return status_of(disk_.truncate(FaultyDisk::id_of(path), size, [&] {
      return target()->Truncate(path, size, options, dbg).ok();
    }));
  }

 private:
  IOStatus wrapped(const base::Result<void>& made, const std::string& path,
                   std::unique_ptr<FSWritableFile>* file) {
    if (!made) return status_of(made);
    *file = std::make_unique<FaultyFile>(std::move(*file), disk_, FaultyDisk::id_of(path));
    return IOStatus::OK();
  }

  FaultyDisk& disk_;
};

// RocksDB waits a second after each failure; this clock does not.
class ImpatientClock final : public rocksdb::SystemClockWrapper {
 public:
  explicit ImpatientClock(FaultyDisk& disk)
      : SystemClockWrapper(rocksdb::SystemClock::Default()), disk_(disk) {}
  const char* Name() const override { return "ImpatientClock"; }
  void SleepForMicroseconds(int micros) override {
    if (disk_.fault().empty()) target_->SleepForMicroseconds(micros);
  }

 private:
  FaultyDisk& disk_;
};

class FaultyEnv final : public rocksdb::EnvWrapper {
 public:
  explicit FaultyEnv(FaultyDisk& disk)
      : EnvWrapper(rocksdb::NewCompositeEnv(std::make_shared<FaultyFileSystem>(disk))) {
    system_clock_ = std::make_shared<ImpatientClock>(disk);
  }
};

}  // namespace

std::unique_ptr<void, void (*)(void*)> make_faulty_env(FaultyDisk& disk) {
  return {static_cast<rocksdb::Env*>(new FaultyEnv(disk)),
          [](void* made) { delete static_cast<rocksdb::Env*>(made); }};
}

}  // namespace support
