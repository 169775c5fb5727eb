// The name of a stream: its aggregate's kPattern, with an agent's name and an id in their places.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/domain/types.hpp"

namespace domain {

struct StreamRef {
  std::string_view pattern;  // its aggregate's; empty: it is no stream's
  std::string agent;         // empty if the pattern has none
  SessionId id;              // unset if the pattern has none

  template <class Aggregate>
  bool is() const {
    return pattern == Aggregate::kPattern;
  }
  bool operator==(const StreamRef&) const = default;
};

// True for 1 to 64 characters a-z, 0-9, '.', '_', '-', the first a letter or a digit.
bool is_agent_name(std::string_view text);

// Returns `pattern` with the agent's name and the id in their places.
std::string format_stream(std::string_view pattern, std::string_view agent, SessionId id);
std::string stream_of(const StreamRef& ref);
// Returns the id of an agent's stream that is known by a key: the first 16 bytes of the BLAKE2b of
// all three.
SessionId keyed_id(std::string_view pattern, std::string_view agent, std::string_view key);
// Returns none if the name is not of that pattern, which must outlive the result.
std::optional<StreamRef> match_stream(std::string_view pattern, std::string_view name);

}  // namespace domain
