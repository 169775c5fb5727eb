// The aggregate of a stream follows from the stream's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

// Returns none if the name is no aggregate's.
std::optional<StreamRef> parse_stream(std::string_view name);
Residency residency_of(const StreamRef& ref);
// Returns the aggregate's kNoun.
std::string_view noun_of(const StreamRef& ref);
Residency residency_of(const StreamState& state);
// The streams whose states stay in memory with the server.
std::vector<std::string> kept_streams();

}  // namespace domain
