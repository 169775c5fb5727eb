// Chooses the notification that makes room when the outbox is full.
#pragma once

#include <optional>
#include <set>

#include "eventlog/domain/outbox/state.hpp"

namespace domain {

// Returns which notification makes room for another one, but for those in `dropped`: of the place
// that has the most, one that was given up, else the second one, since the first may be under way.
// So a place that hears slowly takes no room from others. None if no other one is open.
std::optional<Position> overflowing(const OutboxState& outbox, const std::set<Position>& dropped);

}  // namespace domain
