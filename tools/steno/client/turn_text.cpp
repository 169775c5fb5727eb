// A turn is known by the session's outline; one that has begun since then is counted on.
#include "tools/steno/client/turn_text.hpp"

#include <algorithm>

#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/session/events.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

using workers::OutputItem;
using workers::SessionTurn;

bool is_end(const OutputItem& item) {
  return item.type == domain::TurnFinished::kType || item.type == domain::TurnFailed::kType ||
         item.type == domain::TurnInterrupted::kType;
}

// The end of a turn is recorded late if the server was away: then its agent knows better.
base::Duration took_of(const OutputItem& end, const SessionTurn& turn) {
  const base::Duration recorded = end.time - turn.began;
  return end.took.count() > 0 ? std::min(end.took, recorded) : recorded;
}

}  // namespace

std::string use_text(const OutputItem& item) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
  };
  add(item.usage.input_tokens, "in");
  add(item.usage.output_tokens, "out");
  add(item.usage.cache_read_tokens, "cached");
  add(item.usage.cache_creation_tokens, "cached anew");
  if (!text.empty()) text += " tokens";
  if (item.cost.value > 0) text += (text.empty() ? "$" : ", $") + base::usd_text(item.cost);
  return text;
}

std::string TurnText::before(const OutputItem& item, const projections::SessionRow& row) {
  if (item.is_queued) {
    const bool is_first = !std::exchange(has_queued_, true) && current_.is_set();
    return is_first ? at_work(row) + "\n" : "";
  }
  // A subagent that speaks late is no sign that its turn goes on.
  if (!item.turn.is_set() || item.turn == current_ || !item.parent.empty()) return {};
  const bool is_first = !std::exchange(current_, item.turn).is_set();
  if (find(item.turn) == nullptr) {
    turns_.turns.push_back({item.turn, item.position, {}, item.time, false});
  }
  return (is_first ? "" : "\n") + dim(heading(*find(item.turn))) + "\n";
}

std::string TurnText::after(const OutputItem& item) const {
  if (!is_end(item)) return {};
  const SessionTurn* turn = find(item.turn);
  const base::Duration took = turn == nullptr ? item.took : took_of(item, *turn);
  const std::string use = use_text(item);
  return dim("(" + duration_text(took) + (use.empty() ? "" : ", " + use) + ")") + "\n";
}

std::string TurnText::at_work(const projections::SessionRow& row) const {
  const SessionTurn* turn = find(current_);
  const bool is_at_work = current_.is_set() && (current_ == row.turn || current_ == row.own_turn);
  if (!is_at_work || turn == nullptr) return {};
  return dim("(at work for " + duration_text(options_.now - turn->began) + ")") + "\n";
}

const SessionTurn* TurnText::find(base::TurnId turn) const {
  const auto found = std::find_if(turns_.turns.rbegin(), turns_.turns.rend(),
                                  [&](const SessionTurn& known) { return known.turn == turn; });
  return found == turns_.turns.rend() ? nullptr : &*found;
}

std::string TurnText::heading(const SessionTurn& turn) const {
  std::string text = "── turn";
  if (turns_.archived.empty()) text += " " + std::to_string(&turn - turns_.turns.data() + 1);
  text += ", " + list_time_text(turn.began, options_.now, options_.is_for_people);
  return turn.is_own ? text + ", the agent's own" : text;
}

std::string TurnText::dim(const std::string& text) const {
  return options_.has_color ? "\x1b[2m" + text + "\x1b[22m" : text;
}

}  // namespace steno
