// A program that is started with as little as possible: posix_spawn, which is a vfork and an exec.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "eventlog/base/result.hpp"

namespace benchmarks {

// Starts argv[0], a path, in the folder, without input; its output is dropped. The caller must wait
// for it.
base::Result<pid_t> start_bare(const std::vector<std::string>& argv, const std::string& folder);

// Waits for its end. Error io: its exit code is not 0.
base::Result<void> wait_for_bare(pid_t pid);

}  // namespace benchmarks
