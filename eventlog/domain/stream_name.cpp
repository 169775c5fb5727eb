#include "eventlog/domain/stream_name.hpp"

#include <algorithm>

namespace domain {
namespace {

constexpr std::size_t kAgentNameMax = 64;
constexpr std::string_view kSessionPart = "/session/";
constexpr std::string_view kRegistryPart = "/registry";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_agent_name(std::string_view text) {
  if (text.empty() || text.size() > kAgentNameMax || !is_letter_or_digit(text.front())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

std::string session_stream(std::string_view agent, SessionId session) {
  return std::string(agent).append(kSessionPart).append(session.text());
}

std::string registry_stream(std::string_view agent) {
  return std::string(agent).append(kRegistryPart);
}

std::optional<StreamRef> parse_stream(std::string_view name) {
  if (name == kAdmissionStream) return StreamRef{StreamKind::admission, {}, {}};
  if (name == kServerStream) return StreamRef{StreamKind::server, {}, {}};
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || !is_agent_name(name.substr(0, slash))) return std::nullopt;
  const std::string agent(name.substr(0, slash));
  const std::string_view rest = name.substr(slash);
  if (rest == kRegistryPart) return StreamRef{StreamKind::registry, agent, {}};
  if (!rest.starts_with(kSessionPart)) return std::nullopt;
  const auto session = SessionId::parse(rest.substr(kSessionPart.size()));
  if (!session) return std::nullopt;
  return StreamRef{StreamKind::session, agent, *session};
}

}  // namespace domain
