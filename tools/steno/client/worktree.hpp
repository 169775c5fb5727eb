// Working trees of git that sessions have for themselves, each with a branch of its own. They lie
// in Steno's data folder, so that no repository shows them as new files.
//
//   <data folder>/worktrees/<repository>-<8 hex digits>/<name>      on the branch steno/<name>
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eventlog/base/random.hpp"
#include "tools/steno/client/git.hpp"
#include "tools/steno/config/config.hpp"

namespace steno {

struct Worktree {
  std::string name;
  std::string path;
  std::string branch;      // its own; "steno/NAME"
  std::string repository;  // that it belongs to, as people know it; empty: that is gone
  std::string common;      // as Repository has it; empty: likewise
};

// What would be lost with a worktree.
struct UnsavedWork {
  std::int64_t files = 0;    // that are not committed; those that git ignores do not count
  std::int64_t commits = 0;  // that are on no other branch, on none of a remote, and in no tag
  std::string unknown{};     // why that cannot be told; empty: it can

  bool has_any() const { return files > 0 || commits > 0 || !unknown.empty(); }
};

// "2 files that are not committed, 1 commit on no other branch"; empty: nothing would be lost.
std::string unsaved_text(const UnsavedWork& work);

// Returns why nothing can have the name; empty: it can. 1 to 64 of a-z A-Z 0-9 . _ - are a name.
std::string worktree_name_fault(const std::string& name);
// Returns the name with all else made to "-"; empty: nothing is left.
std::string worktree_name_like(const std::string& text);

struct NewWorktree {
  Worktree worktree;
  std::string workdir;        // as deep in it as the folder was in its own working tree
  std::string commit;         // that it begins with
  bool has_left_out = false;  // the folder's working tree has changes that are not committed
};

struct WorktreeWish {
  std::string folder;     // whose repository it is of
  std::string name;       // empty: one is made
  std::string name_like;  // of what then; empty: of nothing
};

// Failures: no repository, a bare one, one without a commit, a name that cannot be or whose branch
// is there; git's own.
Outcome<bool> check_worktree(const WorktreeWish& wish);
// Makes one, with the commit that HEAD is at. Failures: as check_worktree().
Outcome<NewWorktree> make_worktree(const Config& config, const WorktreeWish& wish,
                                   base::Random& random);

// Returns all of them, by path. Failure: the folder cannot be read.
Outcome<std::vector<Worktree>> list_worktrees(const Config& config);

UnsavedWork unsaved_in(const Worktree& worktree);

// True if it is as it was made: nothing in it has changed, and its branch is where it began.
bool is_unchanged(const NewWorktree& made);

// Removes it with its branch, and says what the branch was at. Without `is_forced` git itself also
// refuses one that has files which are not committed.
Outcome<std::string> remove_worktree(const Worktree& worktree, bool is_forced);

// True if the path is the worktree's, or below.
bool is_in(const Worktree& worktree, const std::string& path);

}  // namespace steno
