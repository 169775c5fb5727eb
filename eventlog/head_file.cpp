#include "eventlog/head_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "eventlog/base/mutant.hpp"

namespace eventlog {
namespace {

constexpr std::size_t kSlotBytes = 4096;
constexpr std::size_t kSlots = 2;

base::Error errno_error(const std::string& what, const std::string& path) {
  return {base::ErrorCode::io, what + ": " + std::strerror(errno), path};
}

std::optional<HeadSlot> parse_slot(ByteView bytes) {
  if (bytes.size() < 12) return std::nullopt;
  const std::size_t size = base::read_u32(bytes);
  if (size > bytes.size() - 12) return std::nullopt;
  const ByteView body = bytes.substr(4, size);
  const bool is_whole = base::read_u64(bytes.substr(4 + size)) == base::xxh3(body);
  if (!is_whole && !base::mutant(base::Mutant::torn_head_accepted)) return std::nullopt;
  auto slot = base::decode<HeadSlot>(body);
  return slot ? std::optional(*slot) : std::nullopt;
}

Result<std::optional<HeadSlot>> read_slots(int fd, const std::string& path) {
  Bytes bytes(kSlots * kSlotBytes, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  if (got < 0) return tl::unexpected(errno_error("cannot read the head file", path));
  if (got == 0) return std::optional<HeadSlot>();
  bytes.resize(static_cast<std::size_t>(got));
  const auto newest = parse_head_file(bytes);
  if (!newest) {
    return base::failure(base::ErrorCode::damaged, "no slot of the head file is whole", path);
  }
  return newest;
}

class SyncedHeadFile final : public HeadFile {
 public:
  SyncedHeadFile(int fd, std::string path, std::int64_t sequence)
      : fd_(fd),
        path_(std::move(path)),
        sequence_(sequence),
        syncer_([this](auto stop) { run(stop); }) {}

  ~SyncedHeadFile() override {
    syncer_.request_stop();
    wake_.notify_all();
    syncer_.join();
    fdatasync(fd_);
    close(fd_);
  }

  Result<bool> write(const Checkpoint& head) override {
    const Bytes bytes = encode_head_slot({++sequence_, head});
    const std::size_t slot = base::mutant(base::Mutant::head_in_one_slot)
                                 ? 0
                                 : static_cast<std::size_t>(sequence_) % kSlots;
    const auto offset = static_cast<off_t>(slot * kSlotBytes);
    if (pwrite(fd_, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
      return tl::unexpected(errno_error("cannot write the head file", path_));
    }
    if (const std::lock_guard guard(mutex_); std::exchange(is_dirty_, true)) return true;
    wake_.notify_one();
    return true;
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait(lock, stop, [&] { return is_dirty_; });
      wake_.wait_for(lock, stop, kHeadSyncDelay, [] { return false; });
      if (!std::exchange(is_dirty_, false)) continue;
      lock.unlock();
      if (!base::mutant(base::Mutant::head_never_synced)) fdatasync(fd_);
      lock.lock();
    }
  }

  const int fd_;
  const std::string path_;
  std::int64_t sequence_;
  std::mutex mutex_;  // guards is_dirty_
  std::condition_variable_any wake_;
  bool is_dirty_ = false;
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

Result<std::optional<Checkpoint>> read_head_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return std::optional<Checkpoint>();
    return tl::unexpected(errno_error("cannot open the head file", path));
  }
  const auto slot = read_slots(fd, path);
  close(fd);
  if (!slot) return tl::unexpected(slot.error());
  return *slot ? std::optional((*slot)->head) : std::nullopt;
}

Result<std::unique_ptr<HeadFile>> open_head_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return tl::unexpected(errno_error("cannot open the head file", path));
  const auto slot = read_slots(fd, path);
  if (!slot) {
    close(fd);
    return tl::unexpected(slot.error());
  }
  const bool goes_on = *slot && !base::mutant(base::Mutant::head_sequence_restarts);
  return std::make_unique<SyncedHeadFile>(fd, path, goes_on ? (*slot)->sequence : 0);
}

}  // namespace eventlog
