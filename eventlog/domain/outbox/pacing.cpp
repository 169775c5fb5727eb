// The times of the deliveries of the last minute are kept, so that no minute has more than its
// number.
#include "eventlog/domain/outbox/pacing.hpp"

namespace domain {

bool is_paced(NotificationTarget target) {
  return target != NotificationTarget::webhook;
}

std::string place_of(const NotificationRequested& requested) {
  std::string place(base::enum_name(requested.target));
  if (requested.target == NotificationTarget::channel) place += ' ' + requested.channel;
  if (requested.target == NotificationTarget::parent) place += ' ' + requested.parent.text();
  return place;
}

void count_told(OutboxState& state, const NotificationRequested& requested, Time now) {
  for (auto& [place, times] : state.told) {
    std::erase_if(times, [&](Time at) { return at + kPacedTime <= now; });
  }
  std::erase_if(state.told, [](const auto& place) { return place.second.empty(); });
  state.told[place_of(requested)].push_back(now);
}

Time can_hear_at(const OutboxState& state, const NotificationRequested& requested,
                 std::int64_t told_max) {
  if (told_max <= 0 || !is_paced(requested.target)) return {};
  const auto told = state.told.find(place_of(requested));
  const auto max = static_cast<std::size_t>(told_max);
  if (told == state.told.end() || told->second.size() < max) return {};
  return told->second[told->second.size() - max] + kPacedTime;
}

}  // namespace domain
