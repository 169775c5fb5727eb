// The head file: two slots written in turn, and a thread that syncs the file some time after a
// write. Reading looks at both slots, so that a torn one is told from a file that is damaged.
#include "eventlog/store/head_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

namespace eventlog {
namespace {

constexpr std::size_t kSlotBytes = 4096;
constexpr std::size_t kSlots = 2;

std::optional<HeadSlot> parse_slot(ByteView bytes) {
  if (bytes.size() < 12) return std::nullopt;
  const std::size_t size = base::read_u32(bytes);
  if (size > bytes.size() - 12) return std::nullopt;
  const ByteView body = bytes.substr(4, size);
  const bool is_whole = base::read_u64(bytes.substr(4 + size)) == base::xxh3(body);
  if (!is_whole) return std::nullopt;
  auto slot = base::decode<HeadSlot>(body);
  return slot ? std::optional(*slot) : std::nullopt;
}

// The sequence number that a torn slot claims; the number lies at the slot's beginning.
std::optional<std::int64_t> claimed_sequence(ByteView slot) {
  if (slot.size() < sizeof(std::uint32_t)) return std::nullopt;
  base::MsgpackReader reader(slot.substr(sizeof(std::uint32_t)));
  std::size_t pairs = 0;
  ByteView name;
  std::int64_t sequence = 0;
  const bool is_read = reader.map(pairs) && reader.text(name) && name == "sequence" &&
                       reader.integer(sequence) && sequence > 0;
  return is_read ? std::optional(sequence) : std::nullopt;
}

// True if the other slot could hold a newer write. Two writes can be in flight at once; a missing
// or torn slot is harmless only if its sequence number is lower.
bool may_be_newer(const HeadSlot& newest, ByteView bytes) {
  const std::size_t other = static_cast<std::size_t>(newest.sequence + 1) % kSlots;
  const ByteView slot = bytes.substr(std::min(other * kSlotBytes, bytes.size()), kSlotBytes);
  if (parse_slot(slot)) return false;
  const auto claimed = claimed_sequence(slot);
  return !claimed || *claimed > newest.sequence;
}

// Returns no bytes when there is no file or an empty one, which a crash can leave behind.
Result<Bytes> read_bytes(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return Bytes();
    return tl::unexpected(errno_error("cannot open the head file", path));
  }
  Bytes bytes(kSlots * kSlotBytes, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  const base::Error error = errno_error("cannot read the head file", path);
  close(fd);
  if (got < 0) return tl::unexpected(error);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

// Returns none if there are no bytes at all.
Result<std::optional<HeadSlot>> parse_slots(ByteView bytes, const std::string& path) {
  if (bytes.empty()) return std::optional<HeadSlot>();
  auto newest = parse_head_file(bytes);
  if (!newest) {
    return base::failure(base::ErrorCode::damaged, "no slot of the head file is whole", path);
  }
  return newest;
}

// Makes a file of two whole slots, so that later writes only overwrite. A shorter file, or one
// whose second slot was never written, could not be told from a damaged one.
Result<void> make_head_file(Disk& disk, const std::string& path) {
  Bytes bytes;
  for (std::size_t slot = 1; slot <= kSlots; ++slot) {
    bytes += encode_head_slot({});
    bytes.resize(slot * kSlotBytes, '\0');
  }
  return write_whole(disk, path, bytes);
}

class SyncedHeadFile final : public HeadFile {
 public:
  SyncedHeadFile(std::unique_ptr<DiskFile> file, std::int64_t sequence)
      : file_(std::move(file)), sequence_(sequence), syncer_([this](auto stop) { run(stop); }) {
    pthread_setname_np(syncer_.native_handle(), "sync-head");
  }

  ~SyncedHeadFile() override {
    syncer_.request_stop();
    wake_.notify_all();
    syncer_.join();
    if (is_dirty_) static_cast<void>(file_->sync());  // no caller is left to hear of a failure
  }

  Result<void> write(const Checkpoint& head) override {
    ++sequence_;
    const std::size_t slot = static_cast<std::size_t>(sequence_) % kSlots;
    if (auto ok = file_->write(slot * kSlotBytes, encode_head_slot({sequence_, head})); !ok)
      return ok;
    const std::lock_guard guard(mutex_);
    if (failure_) return tl::unexpected(*failure_);
    if (!std::exchange(is_dirty_, true)) wake_.notify_one();
    return {};
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait(lock, stop, [&] { return is_dirty_; });
      wake_.wait_for(lock, stop, kHeadSyncDelay, [] { return false; });
      if (!std::exchange(is_dirty_, false)) continue;
      lock.unlock();
      const auto synced = file_->sync();
      lock.lock();
      if (!synced && !failure_) failure_ = synced.error();
    }
  }

  const std::unique_ptr<DiskFile> file_;
  std::int64_t sequence_;
  std::mutex mutex_;  // guards is_dirty_ and failure_
  std::condition_variable_any wake_;
  bool is_dirty_ = false;
  std::optional<base::Error> failure_;  // the error of the first failed sync
  std::jthread syncer_;
};

}  // namespace

Bytes encode_head_slot(const HeadSlot& slot) {
  const Bytes body = base::encode(slot);
  Bytes bytes;
  base::append_u32(bytes, static_cast<std::uint32_t>(body.size()));
  bytes.append(body);
  base::append_u64(bytes, base::xxh3(body));
  return bytes;
}

std::optional<HeadSlot> parse_head_file(ByteView bytes) {
  std::optional<HeadSlot> newest;
  for (std::size_t i = 0; i < kSlots && i * kSlotBytes < bytes.size(); ++i) {
    const auto slot = parse_slot(bytes.substr(i * kSlotBytes, kSlotBytes));
    if (slot && (!newest || slot->sequence > newest->sequence)) newest = slot;
  }
  return newest;
}

Result<HeadState> inspect_head_file(const std::string& path) {
  const auto bytes = read_bytes(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto newest = parse_slots(*bytes, path);
  if (!newest) return tl::unexpected(newest.error());
  HeadState state;
  if (!*newest) return state;
  state.is_there = true;
  state.is_doubtful = may_be_newer(**newest, *bytes);
  if ((*newest)->head.position.value > 0) state.head = (*newest)->head;
  return state;
}

Result<std::optional<Checkpoint>> read_head_file(const std::string& path) {
  auto state = inspect_head_file(path);
  if (!state) return tl::unexpected(state.error());
  return state->head;
}

Result<std::unique_ptr<HeadFile>> open_head_file(const std::string& path, Disk& disk) {
  const auto bytes = read_bytes(path);
  if (!bytes) return tl::unexpected(bytes.error());
  auto slot = parse_slots(*bytes, path);
  if (!slot) return tl::unexpected(slot.error());
  if (!*slot) {
    if (auto ok = make_head_file(disk, path); !ok) return tl::unexpected(ok.error());
    *slot = HeadSlot{};
  }
  auto file = disk.open(path);
  if (!file) return tl::unexpected(file.error());
  return std::make_unique<SyncedHeadFile>(std::move(*file), (*slot)->sequence);
}

}  // namespace eventlog
