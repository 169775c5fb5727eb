// A run answers the place that its messages came from.
#include "eventlog/domain/conversation/place.hpp"

#include "eventlog/domain/outbox/route.hpp"

namespace domain {

std::string place_of(const MessageRoute& route) {
  if (!is_routable(route)) return {};
  return route_text({route.channel, route.account, route.to, route.thread});
}

std::string place_of(const ConversationState& state, SessionId session) {
  const bool is_its = state.run && state.run->session == session;
  std::string place = is_its ? place_of(state.run->route) : std::string();
  if (!place.empty()) return place;
  const DeliveryContext& last = state.last_route;
  return place_of(MessageRoute{last.channel, last.to, last.account, last.thread});
}

}  // namespace domain
