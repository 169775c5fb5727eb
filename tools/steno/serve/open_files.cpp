// Reads and sets RLIMIT_NOFILE.
#include "tools/steno/serve/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace steno {
namespace {

// Linux's own limit for one process (fs.nr_open); stands for "unlimited".
constexpr std::int64_t kOpenFilesMax = 1 << 20;
// What a worker opens for itself, and for each agent: its three streams, its lock, its keeper.
constexpr std::int64_t kWorkerFiles = 32;
constexpr std::int64_t kFilesOfAgent = 5;

std::int64_t number_of(rlim_t limit) {
  const bool is_huge = limit == RLIM_INFINITY || limit > static_cast<rlim_t>(kOpenFilesMax);
  return is_huge ? kOpenFilesMax : static_cast<std::int64_t>(limit);
}

}  // namespace

base::Result<OpenFiles> share_open_files(std::int64_t hard) {
  if (hard >= kOpenFilesMin) return OpenFiles{hard, hard / 2};
  return base::failure(base::ErrorCode::refused,
                       "this process may have only " + std::to_string(hard) +
                           " files open, and a server needs " + std::to_string(kOpenFilesMin) +
                           "; raise the limit (ulimit -Hn, or LimitNOFILE= of its unit)");
}

base::Result<OpenFiles> claim_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return base::failure(base::ErrorCode::io, std::strerror(errno), "getrlimit");
  }
  auto files = share_open_files(number_of(limit.rlim_max));
  if (!files) return files;
  limit.rlim_cur = static_cast<rlim_t>(files->limit);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return base::failure(base::ErrorCode::io, std::strerror(errno), "setrlimit");
  }
  return files;
}

std::int64_t soft_open_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? number_of(limit.rlim_cur) : 0;
}

std::int64_t agents_within(std::int64_t soft) {
  return std::max<std::int64_t>(0, (soft - kWorkerFiles) / kFilesOfAgent);
}

void set_open_files(std::int64_t soft) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(static_cast<rlim_t>(soft), limit.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace steno
