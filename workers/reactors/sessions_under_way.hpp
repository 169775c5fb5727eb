// The sessions that live or are leased, with the part of their states that leases and deadlines
// need. An event is folded once for all reactors, before they are told of it.
#pragma once

#include <map>
#include <string>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/session/state.hpp"

namespace workers {

struct SessionKey {
  base::SessionId session;  // compared first: most sessions have the same agent
  std::string agent;

  auto operator<=>(const SessionKey&) const = default;
};

// Used by one thread.
class SessionsUnderWay {
 public:
  using All = std::map<SessionKey, domain::LeaseState>;

  // Takes a session as the record had it when the server began.
  void restore(const domain::SessionState& session);
  // Takes a durable event.
  void fold(const domain::RecordedEvent& event);

  // Returns the session that the last event was about, also if it is not under way any more; null:
  // it was about none. Valid until the next fold().
  const All::value_type* changed() const { return changed_; }
  // Returns null if the session is not under way.
  const domain::LeaseState* find(const SessionKey& key) const;
  // With the one that changed() is about, also if that is not under way any more.
  const All& all() const { return all_; }

 private:
  All all_;
  const All::value_type* changed_ = nullptr;  // in all_
};

}  // namespace workers
