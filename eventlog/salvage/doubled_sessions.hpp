// Sessions of two agents that have one id, which earlier releases did not refuse. The stream of
// admission contradicts itself from the second one on, so that neither a backup nor an archive of
// the log can be made. A salvage ends those that are under way, by events of the new epoch.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace eventlog {

class DoubledSessions {
 public:
  // Names a stream of the log. Call it for all streams before the first fold().
  void note(const std::string& stream);
  // True if two sessions have one id.
  bool has_any() const { return !agents_.empty(); }

  // Folds the event if a mending needs its stream. Call it for all kept events, in their order.
  void fold(const domain::RecordedEvent& event);

  // Returns the events that end the sessions and make the stream of admission consistent, each with
  // its stream and in this order; none if the stream is consistent.
  std::vector<std::pair<std::string, domain::Event>> mending() const;
  // The sessions that mending() ends or has found ended.
  std::vector<base::SessionId> sessions() const;

 private:
  template <class Aggregate>
  const typename Aggregate::State* find(const std::string& stream) const;

  std::map<base::SessionId, std::string> seen_;              // with the agent that had it first
  std::map<base::SessionId, std::set<std::string>> agents_;  // of ids that two or more have
  std::map<std::string, domain::StreamState> states_;
};

}  // namespace eventlog
