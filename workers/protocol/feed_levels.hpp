// Which levels of the feed an event belongs to, and its form there.
#pragma once

#include <string>
#include <vector>

#include "bus/feed_message.hpp"
#include "eventlog/domain/recorded_event.hpp"

namespace workers {

// "all/", "agent/<agent>/", "session/<agent>/<id>/".
std::string agent_level(std::string_view agent);
std::string session_level(std::string_view agent, base::SessionId session);

// One of those three, with an agent and a session that could be.
bool is_level(std::string_view text);

std::vector<std::string> levels_of(const domain::Envelope& envelope);

// The streams whose events belong to a level.
class LevelStreams {
 public:
  // `level`: one that is_level().
  explicit LevelStreams(std::string_view level);

  bool contains(std::string_view stream) const;
  // The one stream of a session's level; empty: there are several.
  const std::string& only() const { return only_; }

 private:
  std::string prefix_;  // of all of them
  std::string only_;
};

bool is_of_level(const domain::Envelope& envelope, std::string_view level);

// `facts`: the event's encoded facts.
bus::FeedEvent to_feed_event(const domain::RecordedEvent& event, base::Bytes facts);

}  // namespace workers
