// A key is split at its colons, changed as a list of parts, and joined again.
#include "eventlog/domain/conversation/session_key.hpp"

#include <array>
#include <span>

#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

constexpr std::string_view kAgentPart = "agent";

// True if the text says that an agent follows, and lacks the agent or the rest.
bool lacks_part(std::string_view word, const KeyTexts& parts) {
  return !parts.empty() && parts.front() == kAgentPart && parts.size() < 3 &&
         word.find(':') != std::string_view::npos;
}

}  // namespace

std::optional<SessionKey> parse_session_key(std::string_view text) {
  const KeyTexts parts = split_key(text);
  if (parts.size() < 3 || parts.front() != kAgentPart) return std::nullopt;
  return SessionKey{std::string(parts[1]), join_key(std::span(parts).subspan(2))};
}

std::string format_session_key(std::string_view agent, std::string_view rest) {
  return join_key(std::array{kAgentPart, agent, rest});
}

std::string agent_of_key(std::string_view key) {
  const auto parsed = parse_session_key(key_word(key));
  return normal_agent_id(parsed ? parsed->agent : std::string());
}

std::string normal_main_key(std::string_view main_key) {
  std::string rest = key_id(main_key);
  return rest.empty() ? std::string(kMainKey) : rest;
}

std::string main_session_key(std::string_view agent, std::string_view main_key) {
  return format_session_key(normal_agent_id(agent), normal_main_key(main_key));
}

std::string main_session_key(const KeySettings& settings) {
  if (settings.scope == KeyScope::global) return std::string(kGlobalKey);
  return main_session_key(settings.agent, settings.main_key);
}

std::optional<std::string> canonical_key(std::string_view text, const KeySettings& settings) {
  const std::string word = key_word(text);
  if (word == kGlobalKey || word == kUnknownKey) return word;
  const KeyTexts parts = split_key(word);
  if (parts.empty() || lacks_part(word, parts)) return std::nullopt;
  const auto key = parse_session_key(word);
  const std::string rest = key ? key->rest : join_key(parts);
  const std::string agent = normal_agent_id(key ? key->agent : settings.agent);
  const KeyTexts rest_parts = split_key(rest);
  const auto place = std::span(rest_parts).first(place_part_count(rest_parts));
  const std::string name = join_key(place);
  const std::string main = normal_main_key(settings.main_key);
  if (name != kMainKey && name != main) return format_session_key(agent, with_group_form(rest));
  if (name == rest) return main_session_key({settings.scope, main, agent});
  return format_session_key(agent, main + rest.substr(name.size()));
}

std::string request_key(std::string_view key) {
  auto parsed = parse_session_key(key);
  return parsed ? std::move(parsed->rest) : std::string(trimmed(key));
}

std::string with_group_form(std::string_view rest) {
  const std::string_view channel = channel_before_dash(rest.substr(0, rest.find(':')));
  if (channel.empty() || place_part_count(split_key(rest)) > 1) return std::string(rest);
  const std::string form =
      std::string(channel) + ":group:" + std::string(rest.substr(channel.size() + 1));
  // A part that was behind the dash can have blanks around it.
  return join_key(split_key(form));
}

std::optional<std::string> thread_parent(std::string_view key) {
  const KeyTexts parts = split_key(key);
  // An agent and its place are no key yet.
  const std::size_t parent_parts_min = !parts.empty() && parts.front() == kAgentPart ? 3 : 1;
  for (std::size_t mark = parts.size(); mark-- > parent_parts_min;) {
    if (mark + 1 == parts.size() || !is_thread_word(parts[mark])) continue;
    return join_key(std::span(parts).first(mark));
  }
  return std::nullopt;
}

std::optional<std::string> session_key_fault(std::string_view text) {
  if (text.size() > kSessionKeyBytesMax) {
    return "a session key has at most " + std::to_string(kSessionKeyBytesMax) + " bytes, not " +
           std::to_string(text.size()) + "; give a shorter one";
  }
  if (!base::is_utf8(text)) return "a session key is UTF-8 text, which this one is not";
  const std::string word = key_word(text);
  for (std::string_view rest = word; !rest.empty();) {
    if (is_control(take_code_point(rest))) {
      return "a session key is one line without control characters; leave them out";
    }
  }
  const KeyTexts parts = split_key(word);
  if (parts.empty()) return "the session key is empty; give one such as agent:main:main";
  if (lacks_part(word, parts)) {
    return "'" + cut_fact(text) +
           "' is no session key; accepted is agent:<agent>:<rest>, as in agent:main:main";
  }
  return std::nullopt;
}

}  // namespace domain
