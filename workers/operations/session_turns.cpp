// Pages of an outline, from the session's beginning to its end.
#include "workers/operations/session_turns.hpp"

#include <algorithm>

#include "eventlog/domain/session/events.hpp"
#include "workers/operations/output_pages.hpp"

namespace workers {
namespace {

bool is_begin(const OutputItem& item) {
  return item.type == domain::TurnStarted::kType || item.type == domain::OwnTurnStarted::kType ||
         item.type == domain::MessageImported::kType;
}

}  // namespace

void add_turns(const std::vector<OutputItem>& outline, std::vector<SessionTurn>& turns) {
  for (const OutputItem& item : outline) {
    // An end is nearly always that of the last one.
    auto known = std::find_if(turns.rbegin(), turns.rend(),
                              [&](const SessionTurn& one) { return one.turn == item.turn; });
    if (known == turns.rend()) {
      turns.push_back(
          {item.turn, item.position, {}, item.time, item.type == domain::OwnTurnStarted::kType});
      known = turns.rbegin();
    }
    known->through = is_begin(item) ? base::Position{} : item.position;
  }
}

Task<Outcome<SessionTurns>> session_turns(const Caller& caller, const std::string& reference) {
  SessionTurns all;
  base::Position after;
  for (bool has_more = true; has_more;) {
    const auto page = co_await output_outline(caller, reference, after);
    if (!page) co_return tl::unexpected(page.error());
    add_turns(page->items, all.turns);
    if (!page->archived.empty()) all.archived = page->archived;
    has_more = page->has_more;
    after = page->through;
  }
  co_return all;
}

}  // namespace workers
