// A worktree is removed only after its session's agent has ended, which may still write.
#include "tools/steno/client/own_worktree.hpp"

#include "tools/steno/text/console.hpp"

namespace steno {
namespace {

constexpr base::Duration kAgentEnd = std::chrono::seconds(20);  // more than it is given to end
constexpr base::Duration kAgentLookEvery = std::chrono::milliseconds(50);

enum class Ending { live, with_agent, over };

// Waits for the agent of a session that has ended.
Ending ending_of(Connection& connection, base::SessionId session) {
  const base::Duration until = connection.clock().boot() + kAgentEnd;
  for (;;) {
    const auto now = connection.find(session.text());
    if (!now || domain::is_live(now->session.status)) return Ending::live;
    if (!now->session.worker.is_set()) return Ending::over;
    if (connection.clock().boot() > until || !connection.wait(kAgentLookEvery)) {
      return Ending::with_agent;
    }
  }
}

}  // namespace

void drop_worktree(const NewWorktree& made, const Failure& why) {
  // Only a refusal says that there is no session.
  const bool is_unknown = why.exit_code == kExitTimeout || why.exit_code == kExitUnreachable ||
                          why.exit_code == kExitInterrupted || why.exit_code == kExitBusy;
  const std::string name = made.worktree.name;
  if (is_unknown) {
    remark("steno: the worktree " + made.worktree.path +
           " stays, as the session may have been opened; steno worktree rm " + name +
           " removes it");
    return;
  }
  const auto removed = remove_worktree(made.worktree, false);
  if (!removed) remark("steno: " + removed.error().text);
}

void tell_worktree(const NewWorktree& made) {
  remark("steno: it works in " + made.workdir + ", on the branch " + made.worktree.branch +
         (made.has_left_out
              ? "; what is not committed in " + made.worktree.repository + " is not there"
              : ""));
}

void settle_worktree(Connection& connection, const NewWorktree& made, base::SessionId session,
                     const std::string& alias) {
  const Ending ending = ending_of(connection, session);
  if (ending == Ending::live) return;
  const std::string stays = "steno: its worktree stays";
  const std::string next = "; steno diff " + alias + " shows what has changed, steno worktree rm " +
                           made.worktree.name + " removes it";
  if (ending == Ending::with_agent) {
    remark(stays + ", as its agent has not ended yet" + next);
    return;
  }
  const bool is_clean = is_unchanged(made);
  if (is_clean && connection.config().worktree_at_end == WorktreeAtEnd::remove_unchanged) {
    const auto removed = remove_worktree(made.worktree, false);
    remark("steno: " + (removed ? "its worktree is removed, as nothing has changed in it"
                                : removed.error().text));
    return;
  }
  const std::string unsaved = unsaved_text(unsaved_in(made.worktree));
  remark(stays + (unsaved.empty() ? "" : ": " + unsaved) + next);
}

}  // namespace steno
