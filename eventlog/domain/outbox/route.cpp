// The first bar ends the channel, and a second one the account.
#include "eventlog/domain/outbox/route.hpp"

namespace domain {

std::optional<Route> parse_route(std::string_view text) {
  const std::size_t first = text.find('|');
  if (first == std::string_view::npos) return std::nullopt;
  Route route{std::string(text.substr(0, first)), {}, std::string(text.substr(first + 1))};
  if (const std::size_t second = route.target.find('|'); second != std::string::npos) {
    route.account = route.target.substr(0, second);
    route.target.erase(0, second + 1);
    if (route.account.empty()) return std::nullopt;
  }
  if (route.channel.empty() || route.target.empty()) return std::nullopt;
  return route;
}

}  // namespace domain
