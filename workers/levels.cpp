#include "workers/levels.hpp"

#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/session/event_codec.hpp"
#include "eventlog/session/stream_name.hpp"

namespace workers {

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
  constexpr std::string_view kAgent = "agent/";
  constexpr std::string_view kSession = "session/";
  if (text.starts_with(kAgent)) return session::is_agent_name(text.substr(kAgent.size()));
  if (!text.starts_with(kSession)) return false;
  text.remove_prefix(kSession.size());
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && session::is_agent_name(text.substr(0, slash)) &&
         base::SessionId::parse(text.substr(slash + 1));
}

std::vector<std::string> levels_of(const session::Envelope& envelope) {
  std::vector<std::string> levels{std::string(bus::kAllLevel)};
  const auto ref = session::parse_stream(envelope.stream);
  if (!ref || ref->agent.empty()) return levels;
  const bool is_session = ref->kind == session::StreamKind::session;
  if (!is_session || !base::mutant(base::Mutant::agent_level_silent)) {
    levels.push_back(agent_level(ref->agent));
  }
  if (is_session) {
    levels.push_back(session_level(ref->agent, ref->session));
  }
  return levels;
}

bool is_of_level(const session::Envelope& envelope, std::string_view level) {
  if (level == bus::kAllLevel) return true;
  const auto levels = levels_of(envelope);
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

bus::FeedEvent to_feed_event(const session::RecordedEvent& event, base::Bytes facts) {
  bus::FeedEvent feed;
  feed.position = event.envelope.position;
  feed.facts = {std::move(facts)};
  if (event.envelope.content) feed.content_bytes = event.envelope.content->bytes;
  if (event.content) {
    base::Bytes content = session::encode_content(*event.content);
    if (content.size() <= bus::kFeedContentMax) feed.content = base::Binary{std::move(content)};
  }
  return feed;
}

}  // namespace workers
