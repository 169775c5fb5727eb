// A place is a route without the message that is answered.
#include "eventlog/domain/conversation/place.hpp"

#include "eventlog/domain/outbox/route.hpp"

namespace domain {

std::string place_of(const MessageRoute& route) {
  if (!is_routable(route)) return {};
  return route_text({route.channel, route.account, route.to, route.thread});
}

}  // namespace domain
