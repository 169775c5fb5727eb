#include "tests/support/faulty_disk.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/support/faulty_file_system.hpp"

namespace support {
namespace {

namespace fs = std::filesystem;
using base::Bytes;
using base::ByteView;
using base::ErrorCode;
using base::Result;
using FileId = FaultyDisk::FileId;

constexpr std::size_t kSectorBytes = 512;
constexpr std::int64_t kNever = -1;

// A stretch of a file as it was before it was overwritten.
struct Before {
  std::size_t offset = 0;
  Bytes bytes;
};

struct FileState {
  std::size_t size = 0;
  std::size_t synced = 0;             // so many bytes are durable,
  std::optional<std::size_t> doomed;  // but none from here on: a sync of them failed
  std::vector<Before> overwritten;    // since the last sync, below `synced`
  std::vector<Before> doomed_overwritten;
};

// A change of names that is undone unless its folder is synced.
struct NameChange {
  std::string folder;
  std::string path;   // made by it; removed, when there is no `from` and a grave
  std::string from;   // of a rename
  std::string grave;  // where the file is that had the name before
  bool is_made = false;
};

// As a folder is named here: without the doubled slashes that RocksDB leaves.
std::string folder_name(const fs::path& path) {
  std::string name = path.lexically_normal().string();
  if (name.ends_with('/')) name.pop_back();
  return name;
}

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_at(const std::string& path, std::size_t offset, ByteView bytes) {
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(offset));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

class FaultyDisk::Model {
 public:
  Model(std::uint64_t seed, std::string graveyard)
      : random_(seed), graveyard_(std::move(graveyard)) {
    fs::create_directories(graveyard_);
  }

  // One operation. False: it fails and has no effect.
  bool step(const std::string& what) {
    ++operations;
    if (operations == crash_at) has_crashed = true;
    if (has_crashed) note(what);
    return !has_crashed;
  }
  void note(const std::string& what) {
    if (fault.empty()) fault = what;
  }
  static tl::unexpected<base::Error> failed(const std::string& what) {
    return base::failure(ErrorCode::io, "the disk of the test failed", what);
  }

  FileState& state(FileId id) { return files_[id]; }
  FileState& state_of(const std::string& path) {
    const auto [found, is_new] = files_.try_emplace(id_of(path));
    if (is_new) found->second.size = found->second.synced = fs::file_size(path);
    return found->second;
  }
  void forget(FileId id) { files_[id] = {}; }

  void change(NameChange change) {
    change.folder = folder_name(fs::path(change.path).parent_path());
    changes_.push_back(std::move(change));
  }
  std::string bury(const std::string& path) {
    const std::string grave = graveyard_ + "/" + std::to_string(++graves_);
    fs::rename(path, grave);
    return grave;
  }
  void sync_names(const std::string& path) {
    const std::string folder = folder_name(path);
    std::erase_if(changes_, [&](const NameChange& change) {
      if (change.folder != folder) return false;
      if (!change.grave.empty()) fs::remove_all(change.grave);
      return true;
    });
  }

  // How much of a write is done, all of it or less; then it fails.
  std::size_t admit(std::size_t size, const std::string& what) {
    ++writes;
    if (!step(what)) return operations == crash_at ? random_.below(size + 1) : 0;
    std::size_t part = size;
    if (writes == failing_write) part = size / 2;
    if (space) {
      part = std::min<std::size_t>(part, static_cast<std::size_t>(*space));
      *space -= static_cast<std::int64_t>(part);
    }
    if (part < size) note(what);
    return part;
  }
  Result<bool> outcome(std::size_t wanted, std::size_t done, const std::string& what) {
    if (done == wanted || has_crashed) return true;
    if (space) return base::failure(ErrorCode::busy, "no space left", what);
    return failed(what);
  }

  Result<bool> sync_file(FileState& file, const std::string& what, const Doing& doing) {
    ++syncs;
    if (!step(what)) return true;
    if (syncs == failing_sync) {
      note(what);
      file.doomed = std::min(file.doomed.value_or(file.synced), file.synced);
      std::move(file.overwritten.begin(), file.overwritten.end(),
                std::back_inserter(file.doomed_overwritten));
      file.overwritten.clear();
      return failed(what);
    }
    if (is_ignoring_syncs) return true;
    if (!doing()) return failed(what);
    file.synced = file.size;
    file.overwritten.clear();
    return true;
  }

  void lose_names(PowerLoss how) {
    const std::size_t kept =
        how == PowerLoss::tears ? random_.below(changes_.size() + 1) : std::size_t{0};
    for (std::size_t i = changes_.size(); i-- > kept;) {
      const NameChange& change = changes_[i];
      if (change.is_made) {
        fs::remove_all(change.path);
      } else if (!change.from.empty()) {
        fs::rename(change.path, change.from);
      }
      if (!change.grave.empty()) fs::rename(change.grave, change.path);
    }
    changes_.clear();
    fs::remove_all(graveyard_);
    fs::create_directories(graveyard_);
  }

  void lose_bytes(const std::string& path, FileState& file, PowerLoss how) {
    const bool tears = how == PowerLoss::tears;
    restore(path, file.overwritten, tears);
    restore(path, file.doomed_overwritten, false);
    std::size_t size = file.synced;
    if (tears && file.size > size) size += random_.below(file.size - size + 1);
    if (tears && random_.chance(50)) blank(path, file.synced, size);
    if (file.doomed) size = std::min(size, *file.doomed);
    fs::resize_file(path, size);
    file = {size, size, std::nullopt, {}, {}};
  }

  // What is in the page cache alone goes: of a file whose sync failed, that which it was for.
  void drop_cache(const std::string& path, FileState& file) {
    restore(path, file.doomed_overwritten, false);
    if (file.doomed) fs::resize_file(path, std::min(file.size, *file.doomed));
    file = {};
    file.size = file.synced = fs::file_size(path);
  }

  void cut_power(PowerLoss how) {
    lose_names(how);
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(graveyard_).parent_path())) {
      if (!entry.is_regular_file()) continue;
      const auto found = files_.find(id_of(entry.path().string()));
      if (found != files_.end()) lose_bytes(entry.path().string(), found->second, how);
    }
  }

  mutable std::mutex mutex;
  std::int64_t operations = 0;
  std::int64_t writes = 0;
  std::int64_t syncs = 0;
  std::int64_t crash_at = kNever;
  std::int64_t failing_write = kNever;
  std::int64_t failing_sync = kNever;
  std::optional<std::int64_t> space;
  bool is_ignoring_syncs = false;
  bool has_crashed = false;
  std::string fault;

 private:
  // Sector by sector, the later of two changes of one first.
  void restore(const std::string& path, const std::vector<Before>& all, bool tears) {
    for (auto before = all.rbegin(); before != all.rend(); ++before) {
      for (std::size_t at = 0; at < before->bytes.size(); at += kSectorBytes) {
        if (tears && random_.chance(50)) continue;
        write_at(path, before->offset + at, ByteView(before->bytes).substr(at, kSectorBytes));
      }
    }
  }
  // Of the bytes between, sectors of which only the length has reached the disk.
  void blank(const std::string& path, std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; at += kSectorBytes) {
      if (random_.chance(50)) write_at(path, at, Bytes(std::min(kSectorBytes, to - at), '\0'));
    }
  }

  base::SeededRandom random_;
  const std::string graveyard_;
  std::int64_t graves_ = 0;
  std::map<FileId, FileState> files_;
  std::vector<NameChange> changes_;  // in their order
};

// ---- faults ----

FaultyDisk::FaultyDisk(std::uint64_t seed, const std::string& graveyard)
    : model_(std::make_unique<Model>(seed, graveyard)), env_(make_faulty_env(*this)) {}
FaultyDisk::~FaultyDisk() = default;

void FaultyDisk::crash_at(std::int64_t operation) {
  model_->crash_at = operation;
}
void FaultyDisk::fail_write(std::int64_t number) {
  model_->failing_write = number;
}
void FaultyDisk::fail_sync(std::int64_t number) {
  model_->failing_sync = number;
}
void FaultyDisk::ignore_syncs() {
  model_->is_ignoring_syncs = true;
}
void FaultyDisk::set_space(std::int64_t bytes) {
  model_->space = bytes;
}
void FaultyDisk::free_space() {
  model_->space.reset();
}

void FaultyDisk::cut_power(PowerLoss how) {
  const std::lock_guard guard(model_->mutex);
  model_->cut_power(how);
}

void FaultyDisk::restart() {
  const std::lock_guard guard(model_->mutex);
  Model& m = *model_;
  m.crash_at = m.failing_write = m.failing_sync = kNever;
  m.space.reset();
  m.has_crashed = m.is_ignoring_syncs = false;
}

std::int64_t FaultyDisk::operations() const {
  const std::lock_guard guard(model_->mutex);
  return model_->operations;
}
std::int64_t FaultyDisk::writes() const {
  const std::lock_guard guard(model_->mutex);
  return model_->writes;
}
std::int64_t FaultyDisk::syncs() const {
  const std::lock_guard guard(model_->mutex);
  return model_->syncs;
}
bool FaultyDisk::has_crashed() const {
  const std::lock_guard guard(model_->mutex);
  return model_->has_crashed;
}
std::string FaultyDisk::fault() const {
  const std::lock_guard guard(model_->mutex);
  return model_->fault;
}

// ---- eventlog::Disk ----

class FaultyDisk::File final : public eventlog::DiskFile {
 public:
  File(Model& model, std::string path) : model_(model), path_(std::move(path)), id_(id_of(path_)) {}

  Result<bool> write(std::size_t offset, ByteView bytes) override {
    const std::lock_guard guard(model_.mutex);
    const std::string what = "write " + path_;
    const std::size_t part = model_.admit(bytes.size(), what);
    FileState& file = model_.state(id_);
    if (offset < file.size) {
      const std::size_t over = std::min(part, file.size - offset);
      const Bytes now = read_file(path_);
      // What is beyond `synced` goes with the file's end.
      if (offset < file.synced) file.overwritten.push_back({offset, now.substr(offset, over)});
      std::erase_if(file.doomed_overwritten,
                    [&](const Before& before) { return before.offset == offset; });
    }
    write_at(path_, offset, bytes.substr(0, part));
    file.size = std::max(file.size, offset + part);
    return model_.outcome(bytes.size(), part, what);
  }

  Result<bool> sync() override {
    const std::lock_guard guard(model_.mutex);
    return model_.sync_file(model_.state(id_), "sync " + path_, [] { return true; });
  }

 private:
  Model& model_;
  const std::string path_;
  const FileId id_;
};

Result<std::unique_ptr<eventlog::DiskFile>> FaultyDisk::open(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  const bool is_new = !fs::exists(path);
  if (is_new && !model_->step("create " + path)) return Model::failed(path);
  if (auto opened = eventlog::system_disk().open(path); !opened) return opened;
  if (is_new) {
    model_->forget(id_of(path));
    model_->change({{}, path, {}, {}, true});
  }
  model_->state_of(path);
  return std::make_unique<File>(*model_, path);
}

Result<bool> FaultyDisk::make_folder(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  if (!fs::exists(path) && !model_->step("make " + path)) return Model::failed(path);
  const auto made = eventlog::system_disk().make_folder(path);
  if (made && *made) model_->change({{}, path, {}, {}, true});
  return made;
}

Result<bool> FaultyDisk::link(const std::string& from, const std::string& to) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("link " + to)) return Model::failed(to);
  const auto linked = eventlog::system_disk().link(from, to);
  if (linked && *linked) model_->change({{}, to, {}, {}, true});
  return linked;
}

Result<bool> FaultyDisk::rename(const std::string& from, const std::string& to) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("rename " + to)) return Model::failed(to);
  std::string grave = fs::exists(to) ? model_->bury(to) : "";
  const auto renamed = eventlog::system_disk().rename(from, to);
  if (renamed) model_->change({{}, to, from, std::move(grave), false});
  return renamed;
}

void FaultyDisk::remove_all(const std::string& path) {
  std::vector<std::string> inside;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(path, none)) {
    inside.push_back(entry.path().string());
  }
  for (const std::string& name : inside) remove_all(name);
  if (fs::exists(path)) static_cast<void>(remove(path));
}

Result<bool> FaultyDisk::sync_folder(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("sync folder " + path)) return Model::failed(path);
  model_->sync_names(path);
  return true;
}

Result<bool> FaultyDisk::settle(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  FileState& file = model_->state_of(path);
  auto synced = model_->sync_file(file, "settle " + path, [] { return true; });
  if (synced) model_->drop_cache(path, file);
  return synced;
}

// ---- for RocksDB ----

Result<bool> FaultyDisk::create(const std::string& path, const Doing& doing) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("create " + path)) return Model::failed(path);
  if (fs::exists(path)) model_->change({{}, path, {}, model_->bury(path), false});
  if (!doing()) return Model::failed(path);
  model_->forget(id_of(path));
  model_->change({{}, path, {}, {}, true});
  return true;
}

Result<bool> FaultyDisk::remove(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("remove " + path) || !fs::exists(path)) return Model::failed(path);
  model_->change({{}, path, {}, model_->bury(path), false});
  return true;
}

Result<bool> FaultyDisk::truncate(FileId id, std::size_t size, const Doing& doing) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("truncate")) return Model::failed("truncate");
  if (!doing()) return Model::failed("truncate");
  FileState& file = model_->state(id);
  file.size = size;
  file.synced = std::min(file.synced, size);
  return true;
}

Result<bool> FaultyDisk::append(FileId id, ByteView bytes, const Writing& writing) {
  const std::lock_guard guard(model_->mutex);
  const std::string what = "append " + std::to_string(bytes.size()) + " bytes";
  const std::size_t part = model_->admit(bytes.size(), what);
  if (part > 0 && !writing(bytes.substr(0, part))) return Model::failed(what);
  model_->state(id).size += part;
  return model_->outcome(bytes.size(), part, what);
}

Result<bool> FaultyDisk::sync(FileId id, const Doing& doing) {
  const std::lock_guard guard(model_->mutex);
  return model_->sync_file(model_->state(id), "sync", doing);
}

FileId FaultyDisk::id_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace support
