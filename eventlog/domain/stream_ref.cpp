// Formats and matches the names of streams.
#include "eventlog/domain/stream_ref.hpp"

#include <algorithm>

#include "eventlog/base/hash.hpp"

namespace domain {
namespace {

constexpr std::size_t kAgentNameMax = 64;
constexpr std::string_view kAgentPlace = "{agent}";
constexpr std::string_view kIdPlace = "{id}";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Takes the value of a place off the front of `name`: up to the character that follows in the
// pattern, or all of it.
std::string_view take_value(std::string_view& name, std::string_view pattern_rest) {
  const std::size_t end = pattern_rest.empty() ? name.size() : name.find(pattern_rest.front());
  const std::string_view value = name.substr(0, end);
  name.remove_prefix(value.size());
  return value;
}

// Fills `ref` from the name; returns false if the name does not match the pattern.
bool fill(std::string_view pattern, std::string_view name, StreamRef& ref) {
  while (!pattern.empty()) {
    if (pattern.starts_with(kAgentPlace)) {
      pattern.remove_prefix(kAgentPlace.size());
      const std::string_view agent = take_value(name, pattern);
      if (!is_agent_name(agent)) return false;
      ref.agent = agent;
    } else if (pattern.starts_with(kIdPlace)) {
      pattern.remove_prefix(kIdPlace.size());
      const auto id = SessionId::parse(take_value(name, pattern));
      if (!id) return false;
      ref.id = *id;
    } else {
      if (name.empty() || name.front() != pattern.front()) return false;
      pattern.remove_prefix(1);
      name.remove_prefix(1);
    }
  }
  return name.empty();
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

std::string format_stream(std::string_view pattern, std::string_view agent, SessionId id) {
  std::string name;
  constexpr std::size_t kIdChars = 36;
  name.reserve(pattern.size() + agent.size() + kIdChars);
  while (!pattern.empty()) {
    const std::size_t place = std::min(pattern.find('{'), pattern.size());
    name.append(pattern.substr(0, place));
    pattern.remove_prefix(place);
    if (pattern.starts_with(kAgentPlace)) {
      name.append(agent);
      pattern.remove_prefix(kAgentPlace.size());
    } else if (pattern.starts_with(kIdPlace)) {
      name.append(id.text());
      pattern.remove_prefix(kIdPlace.size());
    }
  }
  return name;
}

std::string stream_of(const StreamRef& ref) {
  return format_stream(ref.pattern, ref.agent, ref.id);
}

SessionId keyed_id(std::string_view pattern, std::string_view agent, std::string_view key) {
  base::Blake2bStream hash;
  for (const std::string_view part : {pattern, agent, key}) {
    base::Bytes length;
    base::append_u64(length, part.size());
    hash.add(length);
    hash.add(part);
  }
  SessionId id;
  base::view(hash.finish()).copy(id.bytes.data(), id.bytes.size());
  return id;
}

std::optional<StreamRef> match_stream(std::string_view pattern, std::string_view name) {
  StreamRef ref;
  ref.pattern = pattern;
  if (!fill(pattern, name, ref)) return std::nullopt;
  return ref;
}

}  // namespace domain
