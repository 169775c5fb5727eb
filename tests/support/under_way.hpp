// Sessions as a server that starts finds them under way.
#pragma once

#include <vector>

#include "eventlog/domain/stream_name.hpp"
#include "projections/start/startup_rows.hpp"

namespace support {

// Returns the sessions that a server takes over.
inline std::vector<domain::SessionState> sessions_of(const projections::Takeover& takeover) {
  std::vector<domain::SessionState> sessions;
  for (const projections::StreamUnderWay& one : takeover.under_way) {
    if (const auto* session = std::get_if<domain::SessionState>(&one.state)) {
      sessions.push_back(*session);
    }
  }
  return sessions;
}

inline projections::StreamUnderWay under_way(const domain::SessionState& state) {
  return {{domain::SessionStream::kPattern, state.agent, state.session}, state};
}

}  // namespace support
