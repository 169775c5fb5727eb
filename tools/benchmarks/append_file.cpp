// Preallocates as RocksDB does, because a growing file without reserved space syncs slower.
#include "tools/benchmarks/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/benchmarks/failure.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

// RocksDB reserves space beyond the end of its write-ahead log, as much as a column family's write
// buffer and a tenth (DBImpl::GetWalPreallocateBlockSize), and leaves the size of the file alone.
constexpr off_t kReservedBytes = (16 << 20) / 10 * 11;

}  // namespace

base::Result<std::unique_ptr<AppendFile>> AppendFile::create(const std::string& path,
                                                             std::size_t record_bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return tl::unexpected(errno_error(path));
  // A file system without fallocate reserves nothing for RocksDB either.
  fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, kReservedBytes);
  return std::unique_ptr<AppendFile>(new AppendFile(fd, record_bytes));
}

AppendFile::~AppendFile() {
  close(fd_);
}

base::Result<Nanoseconds> AppendFile::append() {
  const Nanoseconds begun = now();
  if (write(fd_, record_.data(), record_.size()) != static_cast<ssize_t>(record_.size())) {
    return tl::unexpected(errno_error("write"));
  }
  if (fdatasync(fd_) != 0) return tl::unexpected(errno_error("fdatasync"));
  return now() - begun;
}

base::Result<Latencies> AppendFile::append_for(Nanoseconds duration, std::size_t count_max) {
  Latencies latencies;
  const Nanoseconds end = now() + duration;
  while (latencies.count() < count_max && now() < end) {
    if (is_stopped()) return stopped();
    const auto took = append();
    if (!took) return tl::unexpected(took.error());
    latencies.add(*took);
  }
  return latencies;
}

}  // namespace benchmarks
