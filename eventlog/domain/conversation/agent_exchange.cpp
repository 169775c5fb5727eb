// Patterns are matched without backtracking into more than the last star, so that no pattern takes
// long.
#include "eventlog/domain/conversation/agent_exchange.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

bool matches_stars(std::string_view text, std::string_view pattern) {
  std::size_t star = std::string_view::npos;  // the last one that was passed
  std::size_t resumed = 0;                    // where the text goes on after it
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      resumed = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool is_named(const AgentAccess& access, std::string_view agent) {
  return std::any_of(access.allow.begin(), access.allow.end(), [&](std::string_view pattern) {
    pattern = trimmed(pattern);
    if (pattern.find('*') == std::string_view::npos) return pattern == agent && !agent.empty();
    return matches_stars(small_letters(agent), small_letters(pattern));
  });
}

}  // namespace

bool is_announce_skip(std::string_view reply) {
  return trimmed(reply) == kAnnounceSkip;
}

bool is_reply_skip(std::string_view reply) {
  return trimmed(reply) == kReplySkip;
}

std::int64_t exchange_turns(std::optional<std::int64_t> setting) {
  return std::clamp<std::int64_t>(setting.value_or(kExchangeTurnsMax), 0, kExchangeTurnsMax);
}

bool can_reach(const AgentAccess& access, std::string_view from, std::string_view to) {
  if (from == to) return true;
  if (!access.is_enabled) return false;
  return access.allow.empty() || (is_named(access, from) && is_named(access, to));
}

}  // namespace domain
