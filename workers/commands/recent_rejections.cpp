// An id keeps its greatest ask that was refused: every smaller one is a late copy.
#include "workers/commands/recent_rejections.hpp"

namespace workers {

void RecentRejections::add(const base::CommandId& id, Refusal refusal, base::Duration now) {
  if (refusal.ask == 0) return;
  const Refusal* known = recent_.find(id, now);
  if (known != nullptr && known->ask >= refusal.ask) refusal = *known;
  recent_.put(id, std::move(refusal), now);
}

const RecentRejections::Refusal* RecentRejections::find(const base::CommandId& id, std::int64_t ask,
                                                        base::Duration now) {
  const Refusal* known = recent_.find(id, now);
  return known == nullptr || ask == 0 || ask > known->ask ? nullptr : known;
}

}  // namespace workers
