// state + command → events, or a rejection. Pure: time and fresh names come in with the context.
#pragma once

#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/rejection.hpp"
#include "eventlog/domain/session/commands.hpp"

namespace domain {

struct Limits {
  std::int64_t max_sessions = 5;      // starting and running, over all agents
  std::int64_t queue_max = 1000;      // turns waiting in one session
  std::int64_t commands_max = 65536;  // remembered command ids of one session
  std::int64_t erased_max = 1000;     // stretches of erased events in one session
};

struct DecisionContext {
  SessionId session;  // that the command is for
  std::string agent;  // that the session belongs to
  CommandId command;
  Limits limits;
  StreamVersion version{};  // of the session's stream
};

// The streams that a decision may read; `source` is the session that a Spawn resumes, else null.
struct DecisionStates {
  const SessionState& session;
  const RegistryState& registry;
  const AdmissionState& admission;
  const SessionState* source = nullptr;
};

enum class StreamRole { session, registry, admission, source };

struct Emitted {
  StreamRole role = StreamRole::session;
  Event event;
  Content content;  // an empty text: none

  bool operator==(const Emitted&) const = default;
};

// Accepted. No events: a report that is on the record already.
using Decision = std::vector<Emitted>;

base::Result<Decision, Rejection> decide(const DecisionStates& states, const Command& command,
                                         const DecisionContext& context);

}  // namespace domain
