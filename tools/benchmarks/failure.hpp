// Failures of the benchmark's own system calls and second processes.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "eventlog/base/result.hpp"

namespace benchmarks {

// Returns error io with the text of errno.
inline base::Error errno_error(const std::string& what) {
  return {base::ErrorCode::io, what + ": " + std::strerror(errno), {}};
}

// Prints the error for the parent process, which shows it. Returns the exit code.
inline int fail(const base::Error& error) {
  std::fprintf(stderr, "%s\n", base::describe(error).c_str());
  return 1;
}

}  // namespace benchmarks
