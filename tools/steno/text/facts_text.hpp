// The facts of an event in the form that people read.
#pragma once

#include <string>
#include <string_view>

#include "eventlog/domain/recorded_event.hpp"

namespace steno {

// Returns the facts that are not at their default, safe and on one line: "turn=…a1b2c3
// cost=0.0123".
std::string facts_text(const domain::Event& event);

// Returns the end of an id, since its start is only the time: "…a1b2c3".
std::string short_id(std::string_view id_text);

}  // namespace steno
