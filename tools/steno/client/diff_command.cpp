// `diff`: git compares the working tree with where HEAD was when the session began. Files that git
// does not know yet are made known in a copy of its index, so that nothing in the repository
// changes.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/diff_base.hpp"
#include "tools/steno/client/terminal_program.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"

namespace steno {
namespace {

constexpr std::size_t kShortIdChars = 10;

// A folder of this user alone, which is gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* where = std::getenv("TMPDIR");
    path_ = std::string(where == nullptr || *where == '\0' ? "/tmp" : where) + "/steno-diff-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
};

// Returns the variable by which git takes an index that also knows the new files.
Outcome<std::string> index_with_new_files(const Repository& repository, const std::string& folder) {
  const std::string what = "the new files of " + repository.root + " cannot be told";
  if (folder.empty()) return fail(kExitFailed, what + ": no folder for temporary files");
  auto index = tell_git(repository.root, {"rev-parse", "--git-path", "index"}, what);
  if (!index) return tl::unexpected(index.error());
  if (!index->starts_with('/')) *index = repository.root + "/" + *index;
  const std::string copy = folder + "/index";
  std::error_code error;
  // One that was never written does not exist.
  if (std::filesystem::exists(*index, error)) std::filesystem::copy_file(*index, copy, error);
  if (error) return fail(kExitFailed, what + ": " + error.message());
  const std::string variable = "GIT_INDEX_FILE=" + copy;
  GitUse use;
  use.environment = {variable};
  // A file that cannot be read does not keep the others out.
  const auto added = ask_git(
      repository.root,
      {"-c", "core.splitIndex=false", "add", "--intent-to-add", "--ignore-errors", "--", "."}, use);
  if (!added) return tl::unexpected(added.error());
  if (added->exit_code != 0) remark("steno: some new files cannot be read, and are not shown");
  return variable;
}

std::string since_text(const DiffBase& base) {
  const std::string commit = base.object.substr(0, kShortIdChars);
  switch (base.from) {
    case DiffBaseFrom::reflog:
      return "since " + commit + ", where HEAD was when the session began";
    case DiffBaseFrom::date:
      return "since " + commit + ", the last commit of before the session began";
    case DiffBaseFrom::nothing:
      break;
  }
  return "since the session began, when there was no commit";
}

Outcome<int> print_json(const projections::SessionRow& row, const Repository& repository,
                        const DiffBase& base, const std::string& index,
                        const std::vector<std::string>& paths) {
  std::vector<std::string> words{"diff",       "--raw",         "--numstat", "-z", "--no-renames",
                                 "--no-color", "--no-ext-diff", base.object, "--"};
  words.insert(words.end(), paths.begin(), paths.end());
  GitUse use;
  use.environment = {index};
  const auto printed = tell_git(row.workdir, words, "what has changed cannot be told", use);
  if (!printed) return tl::unexpected(printed.error());
  const auto head = head_of(repository.root);
  if (!head) return tl::unexpected(head.error());
  print(workers::JsonObject()
            .add("session", row.session)
            .add("alias", row.alias)
            .add("workdir", row.workdir)
            .add("repository", repository.root)
            .add("base", base.object)
            .add("base_from", base.from)
            .add("head", *head)
            .add("files", diff_files(*printed))
            .text() +
        "\n");
  return kExitOk;
}

}  // namespace

Outcome<int> diff(const Config& config, const DiffArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto found = (*connection)->find(arguments.reference);
  if (!found) return tl::unexpected(found.error());
  const projections::SessionRow& row = found->session;
  const auto repository = repository_of(row.workdir);
  if (!repository) {
    return fail(repository.error().exit_code, "nothing tells what session " + row.alias +
                                                  " has changed: " + repository.error().text);
  }
  const auto base = diff_base(repository->root, row.created_at);
  if (!base) return tl::unexpected(base.error());
  const TemporaryFolder temporary;
  const auto index = index_with_new_files(*repository, temporary.path());
  if (!index) return tl::unexpected(index.error());
  if (config.output != OutputFormat::table) {
    return print_json(row, *repository, *base, *index, arguments.paths);
  }
  std::vector<std::string> argv{"git", "diff", "--exit-code"};
  if (arguments.is_stat) argv.emplace_back("--stat");
  if (arguments.has_names_only) argv.emplace_back("--name-only");
  argv.insert(argv.end(), {base->object, "--"});
  argv.insert(argv.end(), arguments.paths.begin(), arguments.paths.end());
  TerminalRun how;
  how.folder = row.workdir;
  how.environment = {*index};
  for (const std::string& name : outer_git_variables()) {
    if (name != "GIT_INDEX_FILE") how.environment.push_back(name);
  }
  remark("steno: " + since_text(*base));
  const TerminalEnd end = run_on_terminal(argv, how);
  if (!end.problem.empty()) return fail(kExitFailed, "git " + end.problem);
  if (end.exit_code == 0) remark("steno: nothing has changed");
  // It is ended by the one when its reader has had enough.
  const bool is_done = end.exit_code == 0 || end.exit_code == 1 || end.signal == SIGPIPE;
  if (is_done) return kExitOk;
  return fail(kExitFailed, end.signal != 0
                               ? "git was ended by signal " + std::to_string(end.signal)
                               : "git ended with code " + std::to_string(end.exit_code));
}

}  // namespace steno
