// The list is what lies in the folder; whose it is, and what it holds, is asked of git.
#include "tools/steno/client/worktree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/list_files.hpp"
#include "eventlog/base/own_folder.hpp"
#include "eventlog/base/time.hpp"
#include "eventlog/domain/admission/alias.hpp"

namespace steno {
namespace {

constexpr std::size_t kNameCharsMax = 64;
constexpr const char* kBranches = "steno/";
constexpr base::Duration kCheckout = std::chrono::minutes(30);  // of a large repository

std::string worktrees_folder(const Config& config) {
  return config.data_folder + "/worktrees";
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Two repositories can have one name.
std::string folder_of(const Config& config, const std::string& common) {
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x",
                static_cast<unsigned>(base::xxh3(common) & 0xffffffffU));
  std::string name = worktree_name_like(last_part(home_of(common)));
  if (name.empty()) name = "repository";
  return worktrees_folder(config) + "/" + name + "-" + digits.data();
}

// Returns a word that looks like an alias.
std::string fresh_word(base::Random& random) {
  base::SystemClock clock;
  return domain::alias_of(base::SessionId::make(clock.wall(), random), 0);
}

bool has_branch(const Repository& repository, const std::string& branch) {
  const auto found =
      ask_git(repository.root, {"show-ref", "--verify", "--quiet", "refs/heads/" + branch});
  return found && found->exit_code == 0;
}

std::string fresh_name(const Repository& repository, const std::string& like,
                       base::Random& random) {
  std::string name = worktree_name_like(like);
  if (!name.empty() && !has_branch(repository, kBranches + name)) return name;
  const std::string word = fresh_word(random);
  return name.empty() ? word : name.substr(0, kNameCharsMax - 1 - word.size()) + "-" + word;
}

// What a worktree begins with.
struct WorktreeStart {
  Repository repository;
  std::string commit;
};

Outcome<WorktreeStart> start_of(const WorktreeWish& wish) {
  if (!wish.name.empty()) {
    const std::string fault = worktree_name_fault(wish.name);
    if (!fault.empty()) return fail(kExitUsage, fault);
  }
  auto repository = repository_of(wish.folder);
  if (!repository) {
    return fail(repository.error().exit_code, "--worktree: " + repository.error().text);
  }
  auto head = head_of(repository->root);
  if (!head) return tl::unexpected(head.error());
  const std::string home = home_of(repository->common);
  if (head->empty()) {
    return fail(kExitConflict, "--worktree: the repository " + home +
                                   " has no commit for a worktree to begin with; make one");
  }
  const std::string branch = kBranches + wish.name;
  if (!wish.name.empty() && has_branch(*repository, branch)) {
    return fail(kExitConflict, "--worktree: the branch " + branch + " of " + home +
                                   " is there already; give another name, or remove it with "
                                   "steno worktree rm " +
                                   wish.name + ", or git branch -d");
  }
  return WorktreeStart{std::move(*repository), std::move(*head)};
}

std::int64_t count_of(const std::string& text) {
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::string plural(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// Asks git about the repository, whatever became of the worktree's files.
std::vector<std::string> of_repository(const Worktree& worktree, std::vector<std::string> words) {
  words.insert(words.begin(), "--git-dir=" + worktree.common);
  return words;
}

enum class IgnoredFiles { passed_over, counted };

Outcome<std::int64_t> changed_files(const std::string& path, IgnoredFiles ignored) {
  std::vector<std::string> words{"status",
                                 "--porcelain",
                                 "-z",
                                 "--no-renames",
                                 "--untracked-files=normal",
                                 "--ignore-submodules=none"};
  if (ignored == IgnoredFiles::counted) words.emplace_back("--ignored=matching");
  const auto status = tell_git(path, words, path + " cannot be looked at");
  if (!status) return tl::unexpected(status.error());
  // Each file ends with a zero byte.
  return std::count(status->begin(), status->end(), '\0');
}

}  // namespace

std::string unsaved_text(const UnsavedWork& work) {
  if (!work.unknown.empty()) return work.unknown;
  std::string text;
  if (work.files > 0) {
    text = plural(work.files, "file") + (work.files == 1 ? " that is" : " that are") +
           " not committed";
  }
  if (work.commits > 0) {
    text += (text.empty() ? "" : ", ") + plural(work.commits, "commit") + " on no other branch";
  }
  return text;
}

std::string worktree_name_fault(const std::string& name) {
  const bool has_all = std::all_of(name.begin(), name.end(), is_name_char);
  const bool is_odd = name.empty() || name.front() == '.' || name.front() == '-' ||
                      name.ends_with('.') || name.ends_with(".lock") ||
                      name.find("..") != std::string::npos;
  if (has_all && !is_odd && name.size() <= kNameCharsMax) return {};
  return "--worktree: the name of a worktree is 1 to 64 of a-z A-Z 0-9 . _ -, as its branch "
         "steno/NAME needs; it begins with no . and no -, and has no .. and no .lock at its end";
}

std::string worktree_name_like(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_kept = is_name_char(c) && !(c == '.' && (name.empty() || name.back() == '.'));
    if (is_kept) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  name = name.substr(0, kNameCharsMax);
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return worktree_name_fault(name).empty() ? name : std::string();
}

Outcome<bool> check_worktree(const WorktreeWish& wish) {
  const auto start = start_of(wish);
  if (!start) return tl::unexpected(start.error());
  return true;
}

Outcome<NewWorktree> make_worktree(const Config& config, const WorktreeWish& wish,
                                   base::Random& random) {
  const auto start = start_of(wish);
  if (!start) return tl::unexpected(start.error());
  const Repository& repository = start->repository;
  NewWorktree made;
  made.commit = start->commit;
  Worktree& worktree = made.worktree;
  std::string name = wish.name.empty() ? fresh_name(repository, wish.name_like, random) : wish.name;
  const std::string folder = folder_of(config, repository.common);
  worktree.path = folder + "/" + name;
  worktree.branch = kBranches + name;
  worktree.name = std::move(name);
  worktree.common = repository.common;
  worktree.repository = home_of(repository.common);
  if (const auto ok = base::make_own_folder(worktrees_folder(config)); !ok) return fail(ok.error());
  if (const auto ok = base::make_own_folder(folder); !ok) return fail(ok.error());
  GitUse use;
  use.limit = kCheckout;
  const auto added =
      tell_git(repository.root,
               {"worktree", "add", "--no-track", "-b", worktree.branch, worktree.path, made.commit},
               "--worktree: no worktree of " + worktree.repository + " can be made", use);
  if (!added) return tl::unexpected(added.error());
  made.workdir = worktree.path + "/" + repository.prefix;
  while (made.workdir.ends_with('/')) made.workdir.pop_back();
  // The folder can be one that no commit has.
  if (const auto ok = base::make_folders(made.workdir); !ok) {
    static_cast<void>(remove_worktree(worktree, false));
    return fail(ok.error());
  }
  const auto changed = changed_files(repository.root, IgnoredFiles::passed_over);
  made.has_left_out = changed && *changed > 0;
  return made;
}

Outcome<std::vector<Worktree>> list_worktrees(const Config& config) {
  std::vector<Worktree> all;
  const auto folders = base::list_files(worktrees_folder(config));
  if (!folders && folders.error().code == base::ErrorCode::not_found) return all;
  if (!folders) return fail(folders.error());
  for (const base::ListedFile& folder : *folders) {
    if (folder.kind != base::FileKind::folder) continue;
    const auto found = base::list_files(folder.path);
    if (!found) return fail(found.error());
    for (const base::ListedFile& one : *found) {
      if (one.kind != base::FileKind::folder) continue;
      Worktree worktree;
      worktree.name = one.name;
      worktree.path = one.path;
      worktree.branch = kBranches + one.name;
      // Without its repository git would find one above, if there is any.
      const auto repository = repository_of(one.path);
      if (repository && repository->prefix.empty()) {
        worktree.common = repository->common;
        worktree.repository = home_of(repository->common);
      }
      all.push_back(std::move(worktree));
    }
  }
  return all;
}

UnsavedWork unsaved_in(const Worktree& worktree) {
  UnsavedWork work;
  if (worktree.common.empty()) {
    work.unknown = "its repository is gone";
    return work;
  }
  const auto files = changed_files(worktree.path, IgnoredFiles::passed_over);
  if (!files) {
    work.unknown = files.error().text;
    return work;
  }
  work.files = *files;
  std::vector<std::string> words{"rev-list", "--count", "HEAD"};
  const auto branch =
      ask_git(worktree.path, {"show-ref", "--verify", "--quiet", "refs/heads/" + worktree.branch});
  if (branch && branch->exit_code == 0) words.push_back("refs/heads/" + worktree.branch);
  words.insert(words.end(),
               {"--not", "--exclude=" + worktree.branch, "--branches", "--remotes", "--tags"});
  const auto commits = tell_git(worktree.path, words, worktree.path + " cannot be looked at");
  if (!commits) {
    work.unknown = commits.error().text;
    return work;
  }
  work.commits = count_of(*commits);
  return work;
}

bool is_unchanged(const NewWorktree& made) {
  const auto files = changed_files(made.worktree.path, IgnoredFiles::counted);
  const auto head = head_of(made.worktree.path);
  const auto branch = ask_git(made.worktree.path, {"rev-parse", "--verify", "--quiet",
                                                   "refs/heads/" + made.worktree.branch});
  return files && *files == 0 && head && *head == made.commit && branch &&
         branch->output == made.commit;
}

Outcome<std::string> remove_worktree(const Worktree& worktree, bool is_forced) {
  const std::string what = "the worktree " + worktree.path + " stays";
  std::error_code error;
  if (worktree.common.empty()) {
    if (!is_forced) return fail(kExitConflict, what + ": its repository is gone");
    std::filesystem::remove_all(worktree.path, error);
    if (error) return fail(kExitFailed, what + ": " + error.message());
    return std::string();
  }
  std::vector<std::string> words{"worktree", "remove"};
  if (is_forced) words.emplace_back("--force");
  words.push_back(worktree.path);
  GitUse use;
  use.limit = kCheckout;
  const auto removed = tell_git("/", of_repository(worktree, words), what, use);
  if (!removed) return tl::unexpected(removed.error());
  // The folder of the repository's worktrees goes with the last one.
  std::filesystem::remove(std::filesystem::path(worktree.path).parent_path(), error);
  const auto at = ask_git("/", of_repository(worktree, {"rev-parse", "--verify", "--quiet",
                                                        "refs/heads/" + worktree.branch}));
  if (!at) return tl::unexpected(at.error());
  if (at->exit_code != 0) return std::string();
  const auto dropped =
      tell_git("/", of_repository(worktree, {"branch", "-D", "--", worktree.branch}),
               "the worktree is removed, and its branch " + worktree.branch + " stays");
  if (!dropped) return tl::unexpected(dropped.error());
  return at->output;
}

bool is_in(const Worktree& worktree, const std::string& path) {
  return path == worktree.path || path.starts_with(worktree.path + "/");
}

}  // namespace steno
