// The place with the most open notifications gives way.
#include "eventlog/domain/outbox/overflow.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "eventlog/domain/outbox/pacing.hpp"

namespace domain {

std::optional<Position> overflowing(const OutboxState& outbox, const std::set<Position>& dropped) {
  std::map<std::string, std::vector<Position>> places;
  for (const auto& [position, open] : outbox.open) {
    if (!dropped.contains(position)) places[place_of(open.requested)].push_back(position);
  }
  const auto most = std::max_element(
      places.begin(), places.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == places.end()) return std::nullopt;
  const std::vector<Position>& its = most->second;
  const auto given_up = std::find_if(its.begin(), its.end(),
                                     [&](Position one) { return outbox.open.at(one).is_given_up; });
  return given_up != its.end() ? *given_up : its[std::min<std::size_t>(1, its.size() - 1)];
}

}  // namespace domain
