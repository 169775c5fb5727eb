// A level is the stream's agent and id with slashes, so its streams have one prefix or are one.
#include "workers/protocol/feed_levels.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "eventlog/domain/command.hpp"
#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {
namespace {

constexpr std::string_view kAgentLevels = "agent/";
constexpr std::string_view kBeforeWord = "{agent}/";
constexpr std::string_view kBehindWord = "/{id}";
constexpr std::size_t kLevelsMax = 3;  // all, the agent's, the stream's

// Returns the word of a level for each stream of that pattern; empty: it has none.
constexpr std::string_view word_of(std::string_view pattern) {
  if (!pattern.starts_with(kBeforeWord)) return {};
  pattern.remove_prefix(kBeforeWord.size());
  if (!pattern.ends_with(kBehindWord)) return {};
  pattern.remove_suffix(kBehindWord.size());
  return pattern.find('/') == std::string_view::npos ? pattern : std::string_view();
}

template <class... A>
constexpr auto patterns_of(base::Types<A...>) {
  return std::array{A::kPattern...};
}
constexpr auto kPatterns = patterns_of(domain::AskedAggregates{});

bool has_level(const domain::StreamRef& ref) {
  const bool is_listed =
      std::find(kPatterns.begin(), kPatterns.end(), ref.pattern) != kPatterns.end();
  return is_listed && !word_of(ref.pattern).empty();
}

std::string level_of(std::string_view pattern, std::string_view agent, base::SessionId id) {
  return std::string(word_of(pattern)) + "/" + std::string(agent) + "/" + id.text() + "/";
}

// Returns the stream whose level this is; none: it is no stream's.
std::optional<domain::StreamRef> stream_of_level(std::string_view level) {
  if (!level.ends_with('/')) return std::nullopt;
  level.remove_suffix(1);
  const std::size_t behind_word = level.find('/');
  const std::size_t behind_agent = level.rfind('/');
  if (behind_word == std::string_view::npos || behind_agent == behind_word) return std::nullopt;
  const std::string_view agent = level.substr(behind_word + 1, behind_agent - behind_word - 1);
  const auto id = base::SessionId::parse(level.substr(behind_agent + 1));
  if (!domain::is_agent_name(agent) || !id) return std::nullopt;
  for (const std::string_view pattern : kPatterns) {
    const std::string_view word = word_of(pattern);
    if (!word.empty() && word == level.substr(0, behind_word)) {
      return domain::StreamRef{pattern, std::string(agent), *id};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string agent_level(std::string_view agent) {
  return std::string(kAgentLevels) + std::string(agent) + "/";
}

std::string session_level(std::string_view agent, base::SessionId session) {
  return level_of(domain::SessionStream::kPattern, agent, session);
}

std::string conversation_level(std::string_view agent, std::string_view key) {
  return level_of(domain::ConversationStream::kPattern, agent, domain::conversation_id(agent, key));
}

bool is_level(std::string_view text) {
  if (text == bus::kAllLevel || stream_of_level(text)) return true;
  if (!text.starts_with(kAgentLevels)) return false;
  text.remove_prefix(kAgentLevels.size());
  if (!text.ends_with('/')) return false;
  text.remove_suffix(1);
  return domain::is_agent_name(text);
}

std::string agent_of_level(std::string_view level) {
  if (const auto stream = stream_of_level(level)) return stream->agent;
  if (level == bus::kAllLevel || !is_level(level)) return {};
  return std::string(level.substr(kAgentLevels.size(), level.size() - kAgentLevels.size() - 1));
}

std::vector<std::string> levels_of(const domain::Envelope& envelope) {
  std::vector<std::string> levels;
  levels.reserve(kLevelsMax);
  levels.emplace_back(bus::kAllLevel);
  const auto ref = domain::parse_stream(envelope.stream);
  if (!ref || ref->agent.empty()) return levels;
  levels.push_back(agent_level(ref->agent));
  if (has_level(*ref)) levels.push_back(level_of(ref->pattern, ref->agent, ref->id));
  return levels;
}

LevelStreams::LevelStreams(std::string_view level) {
  if (level == bus::kAllLevel) return;
  if (const auto stream = stream_of_level(level)) {
    prefix_ = only_ = domain::stream_of(*stream);
    return;
  }
  prefix_ = level.substr(kAgentLevels.size());
}

bool LevelStreams::contains(std::string_view stream) const {
  return only_.empty() ? stream.starts_with(prefix_) : stream == only_;
}

bool is_of_level(const domain::Envelope& envelope, std::string_view level) {
  return is_level(level) && LevelStreams(level).contains(envelope.stream);
}

bus::FeedEvent to_feed_event(const domain::RecordedEvent& event, base::Bytes facts) {
  bus::FeedEvent feed;
  feed.position = event.envelope.position;
  feed.facts = {std::move(facts)};
  if (event.envelope.content) feed.content_bytes = event.envelope.content->bytes;
  if (event.content) {
    base::Bytes content = domain::encode_content(*event.content);
    if (content.size() <= bus::kFeedContentMax) feed.content = base::Binary{std::move(content)};
  }
  return feed;
}

}  // namespace workers
