// Reads the limit from /proc/<pid>/limits, as proc(5) describes it.
#include "workers/processes/tree_mark.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <string_view>

#include "eventlog/base/unique_fd.hpp"

namespace processes {
namespace {

// The upper 16 bits say that it is a mark; the others are of the file.
constexpr int kFileBits = 48;
constexpr std::uint64_t kTag = std::uint64_t{0x5373} << kFileBits;
constexpr std::uint64_t kFileMask = (std::uint64_t{1} << kFileBits) - 1;

constexpr std::string_view kLimit = "Max realtime timeout";
constexpr std::size_t kLimitsBytes = 4096;  // the file has some 1,300

// FNV-1a of 64 bits, by G. Fowler, L. C. Noll and K.-P. Vo, over the bytes of both numbers.
std::uint64_t hash_of(std::uint64_t first, std::uint64_t second) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint64_t number : {first, second}) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash ^= (number >> shift) & 0xff;
      hash *= 0x100000001b3;
    }
  }
  return hash;
}

}  // namespace

std::optional<TreeMark> tree_mark(const char* lock_file) {
  struct stat file {};
  if (::stat(lock_file, &file) != 0) return std::nullopt;
  const std::uint64_t hash = hash_of(file.st_dev, file.st_ino);
  return TreeMark{kTag | ((hash >> kFileBits) ^ (hash & kFileMask))};
}

bool take_mark(TreeMark mark) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_RTTIME, &limit) != 0) return false;
  limit.rlim_cur = mark.value;
  return ::setrlimit(RLIMIT_RTTIME, &limit) == 0;
}

std::optional<TreeMark> mark_of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/limits";
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return std::nullopt;
  char bytes[kLimitsBytes];
  const ssize_t count = ::read(fd.get(), bytes, sizeof bytes);
  if (count <= 0) return std::nullopt;
  const std::string_view all(bytes, static_cast<std::size_t>(count));
  const std::size_t line = all.find(kLimit);
  if (line == std::string_view::npos) return std::nullopt;
  const std::size_t digits = all.find_first_not_of(' ', line + kLimit.size());
  if (digits == std::string_view::npos) return std::nullopt;
  TreeMark mark;
  const auto [end, error] = std::from_chars(all.data() + digits, all.end(), mark.value);
  if (error != std::errc{} || (mark.value & ~kFileMask) != kTag) return std::nullopt;
  return mark;
}

}  // namespace processes
