// Names of streams: each aggregate's kPattern, with an agent's name and an id in their places.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/aggregates.hpp"

namespace domain {

constexpr std::string_view kAdmissionStream = AdmissionStream::kPattern;
constexpr std::string_view kOutboxStream = OutboxStream::kPattern;
constexpr std::string_view kSchedulesStream = SchedulesStream::kPattern;
constexpr std::string_view kTotalBudgetStream = TotalBudgetStream::kPattern;
constexpr std::string_view kServerStream = ServerStream::kPattern;

struct StreamRef {
  std::size_t aggregate = kIndexOf<ServerStream>;  // its place in the list of aggregates
  std::string agent;                               // empty if the pattern has none
  SessionId id;                                    // unset if the pattern has none

  template <class Aggregate>
  bool is() const {
    return aggregate == kIndexOf<Aggregate>;
  }
  bool operator==(const StreamRef&) const = default;
};

// True for 1 to 64 characters a-z, 0-9, '.', '_', '-', the first a letter or a digit.
bool is_agent_name(std::string_view text);

// Returns `pattern` with the agent's name and the id in their places.
std::string format_stream(std::string_view pattern, std::string_view agent, SessionId id);
// Returns none if the name is no aggregate's.
std::optional<StreamRef> parse_stream(std::string_view name);
Residency residency_of(const StreamRef& ref);
Residency residency_of(const StreamState& state);
// The streams whose states stay in memory with the server.
std::vector<std::string> kept_streams();

inline std::string session_stream(std::string_view agent, SessionId session) {
  return format_stream(SessionStream::kPattern, agent, session);
}
inline std::string registry_stream(std::string_view agent) {
  return format_stream(RegistryStream::kPattern, agent, {});
}
inline std::string budget_stream(std::string_view agent) {
  return format_stream(BudgetStream::kPattern, agent, {});
}
inline std::string lineage_stream(std::string_view agent, SessionId first) {
  return format_stream(LineageStream::kPattern, agent, first);
}

}  // namespace domain
