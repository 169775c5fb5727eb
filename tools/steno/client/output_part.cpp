// Positions come from the session's outline, so that a page of texts is read where the part begins.
#include "tools/steno/client/output_part.hpp"

#include <algorithm>

namespace steno {
namespace {

using workers::SessionTurn;
using workers::SessionTurns;

std::string count_text(std::size_t turns) {
  return turns == 0   ? "has had no turn yet"
         : turns == 1 ? "has had 1 turn"
                      : "has had " + std::to_string(turns) + " turns";
}

OutputPart part_of(const std::vector<SessionTurn>& turns, std::size_t index) {
  OutputPart part;
  const SessionTurn& turn = turns[index];
  part.turn = turn.turn;
  part.after = turn.from.plus(-1);
  const bool is_over = turn.through.value > 0;
  // It also has what is said of it behind its end, until the next one begins.
  if (is_over && index + 1 < turns.size()) {
    part.through = std::max(turn.through, turns[index + 1].from.plus(-1));
  }
  return part;
}

}  // namespace

bool OutputPart::has(const workers::OutputItem& item) const {
  if (item.is_queued) return !turn.is_set();
  const bool is_of_turn = !turn.is_set() || !item.turn.is_set() || item.turn == turn;
  return is_of_turn && item.position <= through && item.time >= since;
}

bool asks_for_part(const OutputArguments& arguments) {
  return arguments.turn != 0 || arguments.is_last || !arguments.since.empty();
}

Outcome<OutputPart> choose_part(const OutputArguments& arguments, base::Time since,
                                const SessionTurns& all, const std::string& name) {
  const std::vector<SessionTurn>& turns = all.turns;
  if (!arguments.since.empty()) {
    OutputPart part;
    part.since = since;
    // The turn before the first later one can go on beyond that time.
    std::size_t first = turns.size();
    while (first > 0 && turns[first - 1].began >= since) --first;
    if (first > 0) part.after = turns[first - 1].from.plus(-1);
    return part;
  }
  const std::int64_t wanted = arguments.is_last ? -1 : arguments.turn;
  const auto count = static_cast<std::int64_t>(turns.size());
  if (wanted > 0 && !all.archived.empty()) {
    return fail(kExitNotFound, "the first turns of " + name + " are not in the log (" +
                                   all.archived + "); --turn -1 counts from its end");
  }
  if (wanted > count || wanted < -count) {
    return fail(
        kExitNotFound,
        name + " " + count_text(turns.size()) +
            (arguments.is_last || turns.empty() ? "" : ", and no turn " + std::to_string(wanted)));
  }
  return part_of(turns, static_cast<std::size_t>(wanted > 0 ? wanted - 1 : count + wanted));
}

}  // namespace steno
