// A level is the stream's agent and session with slashes, so its streams have one prefix or are
// one.
#include "workers/protocol/feed_levels.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {
namespace {

constexpr std::string_view kAgentLevels = "agent/";
constexpr std::string_view kSessionLevels = "session/";
constexpr std::size_t kLevelsMax = 3;  // all, the agent's, the session's

}  // namespace

std::string agent_level(std::string_view agent) {
  return "agent/" + std::string(agent) + "/";
}

std::string session_level(std::string_view agent, base::SessionId session) {
  return "session/" + std::string(agent) + "/" + session.text() + "/";
}

bool is_level(std::string_view text) {
  if (text == bus::kAllLevel) return true;
  if (!text.ends_with('/')) return false;
  text.remove_suffix(1);
  if (text.starts_with(kAgentLevels)) {
    return domain::is_agent_name(text.substr(kAgentLevels.size()));
  }
  if (!text.starts_with(kSessionLevels)) return false;
  text.remove_prefix(kSessionLevels.size());
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && domain::is_agent_name(text.substr(0, slash)) &&
         base::SessionId::parse(text.substr(slash + 1));
}

std::vector<std::string> levels_of(const domain::Envelope& envelope) {
  std::vector<std::string> levels;
  levels.reserve(kLevelsMax);
  levels.emplace_back(bus::kAllLevel);
  const auto ref = domain::parse_stream(envelope.stream);
  if (!ref || ref->agent.empty()) return levels;
  const bool is_session = ref->is<domain::SessionStream>();
  levels.push_back(agent_level(ref->agent));
  if (is_session) {
    levels.push_back(session_level(ref->agent, ref->id));
  }
  return levels;
}

LevelStreams::LevelStreams(std::string_view level) {
  if (level == bus::kAllLevel) return;
  level.remove_suffix(1);
  if (level.starts_with(kAgentLevels)) {
    prefix_ = std::string(level.substr(kAgentLevels.size())) + "/";
    return;
  }
  level.remove_prefix(kSessionLevels.size());
  const std::size_t slash = level.find('/');
  if (const auto session = base::SessionId::parse(level.substr(slash + 1))) {
    prefix_ = only_ = domain::session_stream(level.substr(0, slash), *session);
  }
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
