// The server chooses and counts as far as it can.
#include "tools/steno/client/list_reading.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace steno {
namespace {

using projections::SessionRow;

constexpr std::int64_t kListed = 50;  // sessions, unless somebody says how many

}  // namespace

Outcome<workers::ListAnswer> read_list(Connection& connection, const ListArguments& arguments,
                                       const SessionFilter& filter,
                                       const std::function<void(std::vector<SessionRow>)>& show) {
  const bool is_all = arguments.is_all || (arguments.is_quiet && arguments.count == 0);
  const std::int64_t wanted = is_all                ? std::numeric_limits<std::int64_t>::max()
                              : arguments.count > 0 ? arguments.count
                                                    : kListed;
  workers::QueryBody query = filter.query();
  query.agent = arguments.all_agents ? "" : connection.config().agent;
  // The server counts what it is asked for. What is chosen or sorted here is read to its end.
  const bool is_counted = !filter.leaves_out() && !filter.sorts() && query.active_since.us == 0;
  std::vector<SessionRow> sorted;
  std::int64_t found = 0;
  std::int64_t shown = 0;
  workers::ListAnswer page;
  base::Position first;
  base::Position last_shown;
  const auto hand_on = [&](std::vector<SessionRow> rows) {
    const std::int64_t room = wanted - shown;
    if (static_cast<std::int64_t>(rows.size()) > room) rows.resize(static_cast<std::size_t>(room));
    if (rows.empty()) return;
    shown += static_cast<std::int64_t>(rows.size());
    last_shown = rows.back().opened;
    show(std::move(rows));
  };
  do {
    query.limit = is_counted ? std::min<std::int64_t>(wanted - shown, projections::kSessionsMax)
                             : static_cast<std::int64_t>(projections::kSessionsMax);
    query.before = page.before;
    auto answer = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!answer) return tl::unexpected(answer.error());
    page = std::move(*answer);
    if (first.value == 0) first = page.position;
    std::vector<SessionRow> rows = std::exchange(page.sessions, {});
    std::erase_if(rows, [&](const SessionRow& row) { return !filter.matches(row); });
    found += static_cast<std::int64_t>(rows.size());
    if (filter.sorts()) {
      std::move(rows.begin(), rows.end(), std::back_inserter(sorted));
    } else {
      hand_on(std::move(rows));
    }
  } while (page.has_more && (!is_counted || shown < wanted));
  if (filter.sorts()) {
    filter.sort(sorted);
    hand_on(std::move(sorted));
  }
  if (!is_counted) {
    page.total = found;
    page.has_more = found > shown;
    page.before = page.has_more && !filter.sorts() ? last_shown : base::Position{};
  }
  page.position = first;
  return page;
}

}  // namespace steno
