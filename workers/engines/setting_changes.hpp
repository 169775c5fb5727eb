// The settings that an agent is to be told.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/types.hpp"

namespace engines {

// Returns those of the settings that have another value in `wanted` than in `told`.
std::vector<std::string> settings_to_tell(const std::vector<std::string>& keys,
                                          const domain::SessionSpec& told,
                                          const domain::SessionSpec& wanted);

}  // namespace engines
