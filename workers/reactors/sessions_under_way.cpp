// A session that is not under way any more stays until the next event, so that all reactors can see
// its end.
#include "workers/reactors/sessions_under_way.hpp"

#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {

void SessionsUnderWay::restore(const domain::SessionState& session) {
  all_.insert_or_assign({session.session, session.agent}, domain::lease_state(session));
}

void SessionsUnderWay::fold(const domain::RecordedEvent& event) {
  if (changed_ != nullptr && !domain::is_under_way(changed_->second)) {
    all_.erase(SessionKey(changed_->first));
  }
  changed_ = nullptr;
  auto stream = domain::parse_stream(event.envelope.stream);
  if (!stream || !stream->is<domain::SessionStream>()) return;
  SessionKey key{stream->id, std::move(stream->agent)};
  auto found = all_.find(key);
  if (found == all_.end()) {
    if (!std::holds_alternative<domain::SessionOpened>(event.event)) return;
    found = all_.try_emplace(std::move(key)).first;
  }
  domain::evolve(found->second, event.envelope, event.event);
  changed_ = &*found;
}

const domain::LeaseState* SessionsUnderWay::find(const SessionKey& key) const {
  const auto found = all_.find(key);
  const bool is_known = found != all_.end() && domain::is_under_way(found->second);
  return is_known ? &found->second : nullptr;
}

}  // namespace workers
