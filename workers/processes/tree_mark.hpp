// A mark on all processes of an agent's tree. No change of environment, session or parent takes it
// off. It is the soft limit of their time on a real-time scheduler (RLIMIT_RTTIME of getrlimit(2)),
// which children inherit. In practice it is no limit: a mark stands for more than 70,000 years.
// Plain POSIX: shared with the keeper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace processes {

struct TreeMark {
  std::uint64_t value = 0;

  bool operator==(const TreeMark&) const = default;
  auto operator<=>(const TreeMark&) const = default;
};

// Returns the mark for the tree of the session with this lock file; none if there is no such file.
// It follows from the file's device and inode, so the path to the file does not count.
std::optional<TreeMark> tree_mark(const char* lock_file);
// Marks this process, and all that it starts from now on. Returns false if the system refuses.
bool take_mark(TreeMark mark);
// Returns the mark of a process; none if it has none or has ended.
std::optional<TreeMark> mark_of(pid_t pid);

}  // namespace processes
