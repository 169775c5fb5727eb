#include "tools/steno/client/session_watch.hpp"

#include <unistd.h>

#include <algorithm>

#include "eventlog/domain/stream_name.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"

namespace steno {
namespace {

constexpr base::Duration kAskAgain = std::chrono::seconds(1);  // after a server that did not answer

// The events by which a session can come to rest, or to need a person.
using News = base::Types<domain::TurnFinished, domain::TurnFailed, domain::TurnInterrupted,
                         domain::QueuePaused, domain::TasksChanged, domain::AgentSilenceReported,
                         domain::ToolCallsRepeated, domain::SpendingRecorded, domain::LeaseReleased,
                         domain::LeaseExpired, domain::SessionClosed, domain::AskRaised>;

bool is_news(const bus::FeedEvent& event) {
  const auto seen = workers::see(event);
  if (!seen) return true;  // of a later release
  return domain::is_one_of<News>(seen->recorded.event);
}

}  // namespace

bool is_passing(const Failure& failure) {
  return failure.exit_code == kExitUnreachable || failure.exit_code == kExitTimeout ||
         failure.exit_code == kExitBusy;
}

Outcome<int> watch_sessions(Connection& connection, const SessionWatch& watch,
                            const std::function<Outcome<Asked>(base::Position)>& ask) {
  const auto first = ask({});
  if (!first) return tl::unexpected(first.error());
  if (!flush()) return kExitFailed;
  if (first->is_enough) return kExitOk;
  auto follower = Follower::open(connection, watch.level, first->position);
  if (!follower) return tl::unexpected(follower.error());
  std::optional<base::Position> due;  // of an event that was not asked about yet
  while (true) {
    WaitFor wanted;
    if (watch.ends_with_reader) wanted.output_fd = STDOUT_FILENO;
    wanted.until = watch.until;
    const base::Duration now = connection.clock().boot();
    if (watch.until && now >= *watch.until) return kExitTimeout;
    if (due) wanted.until = std::min(watch.until.value_or(now + kAskAgain), now + kAskAgain);
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake == Wake::interrupted) return kExitInterrupted;
    if (*wake == Wake::output_closed) return kExitOk;
    if (*wake == Wake::event && is_news((*follower)->event())) due = (*follower)->event().position;
    if (!due || (*follower)->is_unanswered()) continue;
    const auto asked = ask(*due);
    if (!asked && !is_passing(asked.error())) return tl::unexpected(asked.error());
    if (!flush()) return kExitFailed;
    if (!asked) continue;
    if (asked->is_enough) return kExitOk;
    due.reset();
  }
}

}  // namespace steno
