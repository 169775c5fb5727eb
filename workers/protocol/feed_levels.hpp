// The levels of the feed that an event belongs to, and the event's form there.
#pragma once

#include <string>
#include <vector>

#include "bus/feed_message.hpp"
#include "eventlog/domain/recorded_event.hpp"

namespace workers {

// The levels are "all/", "agent/<agent>/" and, of each aggregate that clients command and whose
// streams are named {agent}/<word>/{id}, "<word>/<agent>/<id>/".
std::string agent_level(std::string_view agent);
std::string session_level(std::string_view agent, base::SessionId session);
std::string conversation_level(std::string_view agent, std::string_view key);

// True if `text` is one of them, with a well-formed agent and id.
bool is_level(std::string_view text);

// Returns the agent whose streams alone belong to the level; empty: it has those of others, too.
std::string agent_of_level(std::string_view level);

std::vector<std::string> levels_of(const domain::Envelope& envelope);

// The streams whose events belong to a level.
class LevelStreams {
 public:
  // `level` must be one that is_level().
  explicit LevelStreams(std::string_view level);

  bool contains(std::string_view stream) const;
  // The stream of a level that has one; empty: there are several.
  const std::string& only() const { return only_; }

 private:
  std::string prefix_;  // of the names of all of them
  std::string only_;
};

bool is_of_level(const domain::Envelope& envelope, std::string_view level);

// Makes the event's form on the feed; `facts` are its encoded facts.
bus::FeedEvent to_feed_event(const domain::RecordedEvent& event, base::Bytes facts);

}  // namespace workers
