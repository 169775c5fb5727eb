// The last part is a thread if it says so. The first bar ends the channel, a second one the
// account.
#include "eventlog/domain/outbox/route.hpp"

#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

constexpr std::string_view kThread = "|thread:";

// Reads a place without a thread.
std::optional<Route> parse_place(std::string_view text) {
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

}  // namespace

// A place before it makes it a thread; otherwise it is a target of that name.
std::optional<Route> parse_route(std::string_view text) {
  const std::size_t last = text.rfind(kThread);
  if (last == std::string_view::npos) return parse_place(text);
  auto route = parse_place(text.substr(0, last));
  const std::string_view thread = text.substr(last + kThread.size());
  if (!route || thread.empty()) return parse_place(text);
  route->thread = thread;
  return route;
}

std::string route_text(const Route& route) {
  const std::string account = route.account.empty() ? "" : route.account + "|";
  const std::string thread = route.thread.empty() ? "" : std::string(kThread) + route.thread;
  return route.channel + "|" + account + route.target + thread;
}

std::optional<std::string> channel_fault(std::string_view text) {
  if (text.find('|') == std::string_view::npos || parse_route(text)) return std::nullopt;
  return "'" + cut_fact(text) +
         "' is no channel; accepted is channel|target or channel|account|target, as in "
         "telegram|1234, with |thread:ID behind it for a thread";
}

std::string ChannelRules::channel_of(std::string_view workdir) const {
  std::size_t deepest = 0;  // bytes of the folder
  std::string_view channel = fallback;
  const std::string place = std::string(workdir) + "/";
  for (const auto& [named, its] : folders) {
    std::string_view folder = named;
    while (folder.ends_with('/')) folder.remove_suffix(1);
    const bool is_in = place.starts_with(folder) && place[folder.size()] == '/';
    if (!is_in || folder.size() + 1 <= deepest) continue;
    deepest = folder.size() + 1;
    channel = its;
  }
  return std::string(channel);
}

}  // namespace domain
