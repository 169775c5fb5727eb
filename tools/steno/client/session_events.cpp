// A session's events are those of its level, which are all on the record.
#include "tools/steno/client/session_events.hpp"

#include "tools/steno/connection/follower.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace steno {

Outcome<std::vector<projections::SessionRow>> sessions_since(Connection& connection,
                                                             const std::string& agent,
                                                             base::Time since) {
  std::vector<projections::SessionRow> all;
  workers::QueryBody query;
  query.agent = agent;
  query.active_since = since;
  for (bool has_more = true; has_more;) {
    auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!page) return tl::unexpected(page.error());
    std::move(page->sessions.begin(), page->sessions.end(), std::back_inserter(all));
    has_more = page->has_more;
    query.before = page->before;
  }
  return all;
}

Outcome<bool> read_session(Connection& connection, const projections::SessionRow& row,
                           std::string_view undone,
                           const std::function<void(const workers::SeenEvent&)>& take) {
  auto follower = Follower::open(connection, workers::session_level(row.agent, row.session),
                                 row.opened.plus(-1));
  if (!follower) return tl::unexpected(follower.error());
  WaitFor wanted;
  for (base::Position last; last < row.last_position;) {
    wanted.until = connection.clock().boot() + connection.config().timeout;
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake == Wake::interrupted) return fail(kExitInterrupted, "");
    if (*wake != Wake::event) {
      return fail(kExitTimeout, "the events of session " + row.alias + " were not read in time; " +
                                    std::string(undone) + ", try again");
    }
    last = (*follower)->event().position;
    const auto seen = workers::see((*follower)->event());
    if (!seen) return fail(seen.error());
    take(*seen);
  }
  return true;
}

}  // namespace steno
