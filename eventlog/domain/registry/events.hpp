// Facts of an agent's registry, on the stream <agent>/registry.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// A live session holds its name and, when it resumes one, the agent's own session.
struct NameClaimed {
  static constexpr std::string_view kType = "NameClaimed";
  SessionId session;
  std::string name;  // as it was given; empty: none was given
  std::string agent_session;

  bool operator==(const NameClaimed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &NameClaimed::session);
    visit("name", &NameClaimed::name);
    visit("agent_session", &NameClaimed::agent_session);
  }
};

struct NameReleased {
  static constexpr std::string_view kType = "NameReleased";
  SessionId session;
  std::string name;

  bool operator==(const NameReleased&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &NameReleased::session);
    visit("name", &NameReleased::name);
  }
};

// The session that continued an agent's own session has ended, and so has its agent process, if it
// had one. Another session can continue it now.
struct AgentSessionReleased {
  static constexpr std::string_view kType = "AgentSessionReleased";
  SessionId session;
  std::string agent_session;

  bool operator==(const AgentSessionReleased&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &AgentSessionReleased::session);
    visit("agent_session", &AgentSessionReleased::agent_session);
  }
};

using RegistryEvents = base::Types<NameClaimed, NameReleased, AgentSessionReleased>;

}  // namespace domain
