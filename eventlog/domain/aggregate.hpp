// What an aggregate says of itself. It is a struct of four things: State, what its events add up
// to; Events, the list of them; kPattern, the names of its streams; kStateSchema, which grows with
// any change of State's fields or of its evolve, and makes stored states void; kResidency.
#pragma once

#include <cstdint>
#include <string_view>

#include "eventlog/base/type_list.hpp"

namespace domain {

// When a server has the states of its streams in memory.
enum class Residency {
  on_demand,    // while somebody asks for them
  with_server,  // from its start to its end
};

}  // namespace domain
