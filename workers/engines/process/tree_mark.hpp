// A mark on all processes of an agent's tree that no change of environment, session or parent takes
// off: the soft limit of their time on a real-time scheduler (RLIMIT_RTTIME of getrlimit(2)), which
// children inherit. It is no limit in practice, because a mark stands for more than 70,000 years.
// Plain POSIX: shared with the keeper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace engines {

struct TreeMark {
  std::uint64_t value = 0;

  bool operator==(const TreeMark&) const = default;
  auto operator<=>(const TreeMark&) const = default;
};

// Returns the mark of the tree of the session with this lock file, by the file's device and inode,
// so that its path does not count; none if there is no such file.
std::optional<TreeMark> tree_mark(const char* lock_file);
// Marks this process, and all that it starts from now on. Returns false if the system refuses.
bool take_mark(TreeMark mark);
// Returns the mark of a process; none if it has none or has ended.
std::optional<TreeMark> mark_of(pid_t pid);

}  // namespace engines
