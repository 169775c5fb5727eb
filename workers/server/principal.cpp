// Permits by the agent that a connection was confined to.
#include "workers/server/principal.hpp"

namespace workers {

Principal principal_of(const bus::Peer& peer) {
  return {peer.hello.scope};
}

std::optional<std::string> why_not(const Principal& principal, Reach reach,
                                   const std::string& agent) {
  if (reach == Reach::unknown) return "no rule says who may ask for this";
  const bool is_permitted = principal.agent.empty() || reach == Reach::server ||
                            (reach == Reach::agent && agent == principal.agent);
  if (is_permitted) return std::nullopt;
  std::string text = "this connection acts for agent '" + principal.agent + "' only";
  if (reach == Reach::all_agents) text += "; copies and anchors concern all agents";
  return text;
}

}  // namespace workers
