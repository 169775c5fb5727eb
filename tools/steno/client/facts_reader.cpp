// Log time never goes back, so the first event of a time is found by halving.
#include "tools/steno/client/facts_reader.hpp"

#include <utility>

#include "workers/json/event_json.hpp"

namespace steno {

using base::Position;
using base::Time;

FactsReader::FactsReader(Connection& connection, std::string level)
    : connection_(connection), level_(std::move(level)) {}

Outcome<bus::LogPage> FactsReader::read(Position after, std::int64_t events_max) {
  bus::ReadRequest request;
  request.level = level_;
  request.after = after;
  request.events_max = events_max;
  request.is_facts_only = true;
  return connection_.ask<bus::LogPage>(bus::kReadVerb, request);
}

Outcome<Position> FactsReader::find_time(Position low, Time time) {
  const auto first = read(low, 1);
  if (!first) return tl::unexpected(first.error());
  Position high = first->head;
  while (low < high) {
    const Position middle{low.value + (high.value - low.value) / 2};
    const auto found = time_behind(middle);
    if (!found) return tl::unexpected(found.error());
    if (*found && **found < time) {
      low = middle.next();
    } else {
      high = middle;
    }
  }
  return low;
}

// Returns the log time of the first event behind `after`; none: there is none.
Outcome<std::optional<Time>> FactsReader::time_behind(Position after) {
  while (true) {
    const auto page = read(after, 1);
    if (!page) return tl::unexpected(page.error());
    if (!page->events.empty()) {
      const auto seen = workers::see(page->events.front());
      if (!seen) return fail(seen.error());
      return seen->recorded.envelope.log_time;
    }
    if (page->complete_through >= page->head) return std::nullopt;
    after = page->complete_through;
  }
}

}  // namespace steno
