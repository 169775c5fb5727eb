// The aggregate of a session: its turns, its output, its leases, its end.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/session/commands.hpp"
#include "eventlog/domain/session/state.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

struct SessionStream {
  using State = SessionState;
  using Events = SessionEvents;
  using Command = SessionCommand;
  using ClientCommands = SessionClientCommands;
  using Reply = SessionReply;
  using UnderWay = LeaseState;
  static constexpr std::string_view kPattern = "{agent}/session/{id}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "session";

  static bool is_under_way(const SessionWork& state) { return domain::is_under_way(state); }
  static UnderWay under_way(const State& state) { return lease_state(state); }
  // Its prompts and its system prompt can be given to an agent again.
  static Position needs_events_from(const SessionWork& state) { return state.opened; }
};

inline std::string session_stream(std::string_view agent, SessionId session) {
  return format_stream(SessionStream::kPattern, agent, session);
}

}  // namespace domain
