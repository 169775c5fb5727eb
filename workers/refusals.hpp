// The refusals given lately, by command id. A client that hears nothing sends its command again, so
// several copies may be under way; once one was refused the client goes by that, and a later copy
// must not be accepted because a place has become free meanwhile. Of one life of the server: a copy
// that reaches the next one comes before its sender's HELLO there, and is not taken.
#pragma once

#include <deque>
#include <map>

#include "eventlog/session/recorded_event.hpp"
#include "workers/session/rejection.hpp"

namespace workers {

class Refusals {
 public:
  // As many as may be refused while a copy is on its way, at most some 3 MB; the oldest go first.
  static constexpr std::size_t kCountMax = 10'000;

  struct Refusal {
    session::BodyDigest digest{};
    session::Rejection rejection;
    base::Position release;  // durable before the refusal may leave
  };

  // Nothing for an id that is there already.
  void add(const base::CommandId& id, Refusal refusal);
  // Null: not refused lately. The pointer lasts until the next add().
  const Refusal* find(const base::CommandId& id) const;

 private:
  std::map<base::CommandId, Refusal> by_id_;
  std::deque<base::CommandId> order_;
};

}  // namespace workers
