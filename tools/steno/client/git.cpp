// Git is the one that the PATH has. What it says is read in the C locale.
#include "tools/steno/client/git.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tools/steno/config/find_program.hpp"
#include "workers/processes/run_program.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// An id has so many hexadecimal digits with SHA-1, and more with SHA-256.
constexpr std::size_t kIdCharsMin = 40;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// Returns the line that says what went wrong: git puts hints behind it.
std::string git_words(const GitAnswer& answer) {
  std::string line;
  for (const char* begin : {"fatal: ", "error: "}) {
    const std::size_t at = answer.errors.find(begin);
    if (at == std::string::npos) continue;
    line = answer.errors.substr(at + std::string_view(begin).size());
    break;
  }
  if (line.empty()) line = answer.errors;
  line = workers::safe_line(line.substr(0, line.find('\n')));
  return line.empty() ? "it ended with code " + std::to_string(answer.exit_code) : line;
}

}  // namespace

std::vector<std::string> outer_git_variables() {
  return {"GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_PREFIX",
          "GIT_COMMON_DIR",
          "GIT_NAMESPACE",
          "GIT_OBJECT_DIRECTORY",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES"};
}

Outcome<GitAnswer> ask_git(const std::string& folder, const std::vector<std::string>& words,
                           const GitUse& use) {
  const char* search_path = std::getenv("PATH");
  if (find_program("git", search_path == nullptr ? "" : search_path).empty()) {
    return fail(kExitFailed, "git is not installed, or in no folder of the PATH");
  }
  std::vector<std::string> argv{"git"};
  argv.insert(argv.end(), words.begin(), words.end());
  processes::ProgramRun how;
  how.limit = use.limit;
  how.folder = folder;
  how.environment = use.environment;
  for (const std::string& name : outer_git_variables()) {
    const bool is_set = std::any_of(use.environment.begin(), use.environment.end(),
                                    [&](const auto& one) { return one.starts_with(name + "="); });
    if (!is_set) how.environment.push_back(name);
  }
  how.environment.emplace_back("LC_ALL=C");
  how.environment.emplace_back("GIT_TERMINAL_PROMPT=0");
  how.output_max = use.output_max;
  how.has_errors_apart = true;
  processes::ProgramOutcome ran = processes::run_program(argv, how);
  if (ran.exit_code < 0) return fail(kExitFailed, "git: " + ran.problem);
  if (ran.output.size() >= use.output_max) {
    return fail(kExitFailed, "git " + words.front() + " says more than " +
                                 std::to_string(use.output_max) + " bytes");
  }
  return GitAnswer{ran.exit_code, std::move(ran.output), std::move(ran.errors)};
}

Outcome<std::string> tell_git(const std::string& folder, const std::vector<std::string>& words,
                              const std::string& what, const GitUse& use) {
  auto answer = ask_git(folder, words, use);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_code == 0) return std::move(answer->output);
  return fail(kExitFailed, what + ": git says: " + git_words(*answer));
}

Outcome<Repository> repository_of(const std::string& folder) {
  if (!is_folder(folder)) return fail(kExitNotFound, "the folder " + folder + " is not there");
  const auto inside = ask_git(folder, {"rev-parse", "--is-inside-work-tree"});
  if (!inside) return tl::unexpected(inside.error());
  if (inside->exit_code != 0) {
    const bool is_in_none = inside->errors.find("not a git repository") != std::string::npos;
    return fail(kExitNotFound, is_in_none ? folder + " is in no repository of git"
                                          : "git says of " + folder + ": " + git_words(*inside));
  }
  if (inside->output != "true") {
    return fail(kExitNotFound, folder +
                                   " is in a repository of git that has no files there: it is "
                                   "bare, or the folder is in its own one");
  }
  const std::string what = "the repository of " + folder + " cannot be read";
  Repository repository;
  auto root = tell_git(folder, {"rev-parse", "--show-toplevel"}, what);
  if (!root) return tl::unexpected(root.error());
  repository.root = std::move(*root);
  auto prefix = tell_git(folder, {"rev-parse", "--show-prefix"}, what);
  if (!prefix) return tl::unexpected(prefix.error());
  repository.prefix = std::move(*prefix);
  // At the root releases of git agree what a relative path is relative to.
  auto common = tell_git(repository.root, {"rev-parse", "--git-common-dir"}, what);
  if (!common) return tl::unexpected(common.error());
  repository.common = common->starts_with('/') ? *common : repository.root + "/" + *common;
  return repository;
}

std::string home_of(const std::string& common) {
  constexpr std::string_view kInside = "/.git";
  return common.ends_with(kInside) ? common.substr(0, common.size() - kInside.size()) : common;
}

Outcome<std::string> head_of(const std::string& folder) {
  const auto head = ask_git(folder, {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
  if (!head) return tl::unexpected(head.error());
  const bool is_there = head->exit_code == 0 && head->output.size() >= kIdCharsMin;
  return is_there ? head->output : std::string();
}

}  // namespace steno
