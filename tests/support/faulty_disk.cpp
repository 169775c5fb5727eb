// Carries out each operation on the real file under one mutex, as far as the model admits it, and
// tells the model what is durable.
#include "tests/support/faulty_disk.hpp"

#include <sys/stat.h>

#include "tests/support/faulty_disk_model.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace support {
namespace {

namespace fs = std::filesystem;
using base::Bytes;
using base::ByteView;
using base::Result;
using FileId = FaultyDisk::FileId;

}  // namespace

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

  Result<void> write(std::size_t offset, ByteView bytes) override {
    const std::lock_guard guard(model_.mutex);
    const std::string what = "write " + path_;
    const std::size_t part = model_.admit(bytes.size(), what);
    FileState& file = model_.state(id_);
    if (offset < file.size) {
      const std::size_t over = std::min(part, file.size - offset);
      const Bytes now = read_file(path_);
      // Bytes beyond `synced` are lost with the file's end.
      if (offset < file.synced) file.overwritten.push_back({offset, now.substr(offset, over)});
      std::erase_if(file.doomed_overwritten,
                    [&](const Before& before) { return before.offset == offset; });
    }
    write_at(path_, offset, bytes.substr(0, part));
    file.size = std::max(file.size, offset + part);
    return model_.outcome(bytes.size(), part, what);
  }

  Result<void> sync() override {
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

Result<void> FaultyDisk::rename(const std::string& from, const std::string& to) {
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

Result<void> FaultyDisk::sync_folder(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("sync folder " + path)) return Model::failed(path);
  model_->sync_names(path);
  return {};
}

Result<void> FaultyDisk::settle(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  if (!fs::exists(path)) return Model::failed(path);
  FileState& file = model_->state_of(path);
  auto synced = model_->sync_file(file, "settle " + path, [] { return true; });
  if (synced) model_->drop_cache(path, file);
  return synced;
}

// ---- for RocksDB ----

Result<void> FaultyDisk::create(const std::string& path, const Doing& doing) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("create " + path)) return Model::failed(path);
  if (fs::exists(path)) model_->change({{}, path, {}, model_->bury(path), false});
  if (!doing()) return Model::failed(path);
  model_->forget(id_of(path));
  model_->change({{}, path, {}, {}, true});
  return {};
}

Result<void> FaultyDisk::remove(const std::string& path) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("remove " + path) || !fs::exists(path)) return Model::failed(path);
  model_->change({{}, path, {}, model_->bury(path), false});
  return {};
}

Result<void> FaultyDisk::truncate(FileId id, std::size_t size, const Doing& doing) {
  const std::lock_guard guard(model_->mutex);
  if (!model_->step("truncate")) return Model::failed("truncate");
  if (!doing()) return Model::failed("truncate");
  FileState& file = model_->state(id);
  file.size = size;
  file.synced = std::min(file.synced, size);
  return {};
}

Result<void> FaultyDisk::append(FileId id, ByteView bytes, const Writing& writing) {
  const std::lock_guard guard(model_->mutex);
  const std::string what = "append " + std::to_string(bytes.size()) + " bytes";
  const std::size_t part = model_->admit(bytes.size(), what);
  if (part > 0 && !writing(bytes.substr(0, part))) return Model::failed(what);
  model_->state(id).size += part;
  return model_->outcome(bytes.size(), part, what);
}

Result<void> FaultyDisk::sync(FileId id, const Doing& doing) {
  const std::lock_guard guard(model_->mutex);
  return model_->sync_file(model_->state(id), "sync", doing);
}

FileId FaultyDisk::id_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace support
