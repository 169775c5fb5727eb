// The settings that an agent does not have yet.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/types.hpp"

namespace engines {

// Returns those of the settings that have another value in `wanted` than in `told`.
std::vector<std::string> differing_settings(const std::vector<std::string>& keys,
                                            const domain::SessionSpec& told,
                                            const domain::SessionSpec& wanted);

}  // namespace engines
