// The refusals given lately. A client that hears nothing sends its command again, so several copies
// can be in flight. Once one was refused the client relies on that, and a later copy must not be
// accepted because a place has become free meanwhile. A command asked anew under the same id (a
// greater `ask`) is decided anew.
//
// Valid for one life of the server. A copy that reaches the next one comes before its sender's
// HELLO there, and is not taken.
#pragma once

#include "eventlog/base/expiring_map.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/domain/rejection.hpp"

namespace workers {

class RecentRejections {
 public:
  // As many as the inbox holds, in which a copy can wait: some 70 MB at the very worst, since texts
  // are cut (kRefusalBytesMax). The oldest go first.
  static constexpr std::size_t kCountMax = 100'000;
  // The age since the last copy was refused. It is several times a client's pause between two
  // copies, and longer than any queue on the way holds one.
  static constexpr base::Duration kAgeMax = std::chrono::minutes(2);

  struct Refusal {
    std::int64_t ask = 0;  // the greatest that was refused
    domain::Rejection rejection;
    base::Position release;  // the position that must be durable before the refusal can leave
  };

  // Adds a refusal; does nothing if the sender does not number its asks (0). `now`: boot time.
  void add(const base::CommandId& id, Refusal refusal, base::Duration now);
  // Returns the refusal of that ask or a later one; null: none lately. Valid until the next call.
  const Refusal* find(const base::CommandId& id, std::int64_t ask, base::Duration now);

 private:
  base::ExpiringMap<base::CommandId, Refusal> recent_{kCountMax, kAgeMax};
};

}  // namespace workers
