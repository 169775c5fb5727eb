// The places that a channel's program can send to, as a text: "telegram|1234", "telegram|bot|1234",
// "telegram|1234|thread:55".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace domain {

struct Route {
  std::string channel;
  std::string account;   // empty: none is named
  std::string target;    // can hold further bars
  std::string thread{};  // within the target; empty: none is named

  bool operator==(const Route&) const = default;
};

// Returns the text of it.
std::string route_text(const Route& route);

// Without a thread at the end, two parts are channel and target; more are channel, account and
// target. No value: there are fewer parts, or one of them is empty.
std::optional<Route> parse_route(std::string_view text);

// Returns what is wrong with a text as the channel of a session: it has a bar and is no route. One
// without a bar names no place, and is the orchestrator's business. No value: nothing.
std::optional<std::string> channel_fault(std::string_view text);

}  // namespace domain
