// The list of all kinds of agents that are compiled in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "workers/engines/engine_kind.hpp"

namespace engines {

std::span<const EngineKind* const> engine_kinds();
// Returns null if there is no such kind.
const EngineKind* find_kind(std::string_view name);
// Returns the names as text, such as "a or b".
std::string kind_names_text();

}  // namespace engines
