// Names of streams: <agent>/session/<id>, <agent>/registry, $admission, $server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/domain/types.hpp"

namespace domain {

constexpr std::string_view kAdmissionStream = "$admission";
constexpr std::string_view kServerStream = "$server";

enum class StreamKind { session, registry, admission, server };

struct StreamRef {
  StreamKind kind = StreamKind::server;
  std::string agent;  // of a session or a registry
  SessionId session;  // of a session

  bool operator==(const StreamRef&) const = default;
};

// 1 to 64 characters a-z, 0-9, '.', '_', '-', the first a letter or a digit.
bool is_agent_name(std::string_view text);

std::string session_stream(std::string_view agent, SessionId session);
std::string registry_stream(std::string_view agent);
std::optional<StreamRef> parse_stream(std::string_view name);

}  // namespace domain
