// The refusals given lately. A client that hears nothing sends its command again, so several copies
// may be under way; once one was refused the client goes by that, and a later copy must not be
// accepted because a place has become free meanwhile. Whoever asks anew under the same id (a
// greater `ask`) is decided anew.
//
// Of one life of the server: a copy that reaches the next one comes before its sender's HELLO
// there, and is not taken.
#pragma once

#include "eventlog/base/expiring_map.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/domain/rejection.hpp"

namespace workers {

class RecentRejections {
 public:
  // As many as the inbox holds, in which a copy may wait: some 70 MB at the very worst, since texts
  // are cut (kRefusalBytesMax). The oldest go first.
  static constexpr std::size_t kCountMax = 100'000;
  // Since the last copy was refused. Several times what a client lets pass between two copies, and
  // longer than any queue on the way holds one.
  static constexpr base::Duration kAgeMax = std::chrono::minutes(2);

  struct Refusal {
    std::int64_t ask = 0;  // the greatest that was refused
    domain::Rejection rejection;
    base::Position release;  // durable before the refusal may leave
  };

  // Nothing when the sender does not tell its asks apart (0). `now`: boot time.
  void add(const base::CommandId& id, Refusal refusal, base::Duration now);
  // Null: that ask was not refused lately. The pointer lasts until the next call.
  const Refusal* find(const base::CommandId& id, std::int64_t ask, base::Duration now);

 private:
  base::ExpiringMap<base::CommandId, Refusal> recent_{kCountMax, kAgeMax};
};

}  // namespace workers
