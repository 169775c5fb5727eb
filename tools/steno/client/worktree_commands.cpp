// `worktree ls`, `rm` and `prune`: what lies in the folder, beside the sessions that live in it.
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/worktree.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// A worktree with the live sessions of all agents that work in it.
struct Used {
  Worktree worktree;
  std::vector<std::string> sessions;  // aliases
};

Outcome<std::vector<Used>> all_used(const Config& config) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  auto worktrees = list_worktrees(config);
  if (!worktrees) return tl::unexpected(worktrees.error());
  const auto live = (*connection)->run(workers::list_live((*connection)->caller(), {}));
  if (!live) return tl::unexpected(live.error());
  std::vector<Used> all;
  for (Worktree& worktree : *worktrees) {
    Used used{std::move(worktree), {}};
    for (const projections::SessionRow& row : *live) {
      if (is_in(used.worktree, row.workdir)) used.sessions.push_back(row.alias);
    }
    all.push_back(std::move(used));
  }
  return all;
}

std::string aliases_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string worktree_json(const Used& used) {
  const UnsavedWork unsaved = unsaved_in(used.worktree);
  workers::JsonObject json;
  json.add("name", used.worktree.name)
      .add("path", used.worktree.path)
      .add("branch", used.worktree.branch)
      .add("repository", used.worktree.repository)
      .add("files", unsaved.files)
      .add("commits", unsaved.commits)
      .add("unknown", unsaved.unknown)
      .add("sessions", used.sessions);
  return json.text();
}

// Returns the one that is called so, or lies there.
Outcome<Used> find_used(const Config& config, const std::string& said) {
  auto all = all_used(config);
  if (!all) return tl::unexpected(all.error());
  std::vector<Used> found;
  std::string paths;
  for (Used& used : *all) {
    if (used.worktree.name != said && used.worktree.path != said) continue;
    paths += (paths.empty() ? "" : ", ") + used.worktree.path;
    found.push_back(std::move(used));
  }
  if (found.size() == 1) return std::move(found.front());
  if (found.empty()) {
    return fail(kExitNotFound, "there is no worktree '" + workers::safe_line(said) +
                                   "'; steno worktree ls lists them");
  }
  return fail(kExitConflict, "several worktrees are called " + said + "; say which: " + paths);
}

// Removes it, and says so.
Outcome<bool> remove_one(const Worktree& worktree, const UnsavedWork& lost, bool is_forced) {
  const auto branch_was = remove_worktree(worktree, is_forced);
  if (!branch_was) return tl::unexpected(branch_was.error());
  print("removed " + worktree.path + "\n");
  if (lost.commits > 0 && !branch_was->empty()) {
    remark("steno: git -C " + worktree.repository + " branch " + worktree.branch + " " +
           *branch_was + " brings its commits back");
  }
  return true;
}

}  // namespace

Outcome<int> worktree_list(const Config& config, const WorktreeArguments&) {
  const auto all = all_used(config);
  if (!all) return tl::unexpected(all.error());
  if (config.output != OutputFormat::table) {
    const bool is_one = config.output == OutputFormat::json;
    std::string document;
    for (const Used& used : *all) {
      document +=
          (is_one && !document.empty() ? "," : "") + worktree_json(used) + (is_one ? "" : "\n");
    }
    print(is_one ? "[" + document + "]\n" : document);
    return kExitOk;
  }
  if (all->empty()) {
    remark("no worktrees; steno run --worktree makes one");
    return kExitOk;
  }
  Table table(
      {{"NAME"}, {"REPOSITORY"}, {"SESSIONS"}, {"UNSAVED"}, {"PATH", Align::left, 200, true}});
  for (const Used& used : *all) {
    const std::string unsaved = unsaved_text(unsaved_in(used.worktree));
    table.add({used.worktree.name, used.worktree.repository, aliases_text(used.sessions),
               unsaved.empty() ? "nothing" : unsaved, used.worktree.path});
  }
  print(table.text(stdout_columns()));
  return kExitOk;
}

Outcome<int> worktree_remove(const Config& config, const WorktreeArguments& arguments) {
  const auto used = find_used(config, arguments.name);
  if (!used) return tl::unexpected(used.error());
  const Worktree& worktree = used->worktree;
  if (!used->sessions.empty()) {
    return fail(kExitConflict, "the worktree " + worktree.path + " is that of session " +
                                   aliases_text(used->sessions) +
                                   ", which is live; close it, or kill it, first");
  }
  const UnsavedWork unsaved = unsaved_in(worktree);
  if (unsaved.has_any() && !arguments.is_forced) {
    return fail(kExitConflict, "the worktree " + worktree.path +
                                   " stays: " + unsaved_text(unsaved) +
                                   "; save them elsewhere, or remove it with --force");
  }
  const auto removed = remove_one(worktree, unsaved, arguments.is_forced);
  if (!removed) return tl::unexpected(removed.error());
  return kExitOk;
}

Outcome<int> worktree_prune(const Config& config, const WorktreeArguments& arguments) {
  const auto all = all_used(config);
  if (!all) return tl::unexpected(all.error());
  std::size_t kept = 0;
  std::optional<Failure> failed;
  for (const Used& used : *all) {
    // One that goes can have held the only other branch with another one's commits.
    const UnsavedWork unsaved = unsaved_in(used.worktree);
    if (!used.sessions.empty() || unsaved.has_any()) {
      ++kept;
      continue;
    }
    if (arguments.is_tried) {
      print("would remove " + used.worktree.path + "\n");
      continue;
    }
    const auto removed = remove_one(used.worktree, unsaved, false);
    if (removed) continue;
    failed = removed.error();
    remark(failed->text);
  }
  if (kept > 0) {
    remark("steno: " + std::to_string(kept) + (kept == 1 ? " is kept" : " are kept") +
           "; steno worktree ls says why");
  }
  if (failed) return tl::unexpected(*failed);
  return kExitOk;
}

}  // namespace steno
