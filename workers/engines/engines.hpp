// The list of all kinds of agents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workers/engines/engine_kind.hpp"

namespace engines {

std::span<const EngineKind* const> engine_kinds();
// Returns null if there is no such engine.
const EngineKind* find_engine(std::string_view name);
// Likewise.
std::unique_ptr<Engine> make_engine(std::string_view name, EngineSettings settings,
                                    SessionLaunch session);
std::vector<std::string> engine_names();
std::vector<std::string> injecting_engine_names();
// The names as text, such as "a or b".
std::string engine_names_text();

}  // namespace engines
