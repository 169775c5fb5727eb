// The times of the deliveries of the last minute are kept, so that no minute has more than its
// number.
#include "eventlog/domain/outbox/pacing.hpp"

namespace domain {

bool is_paced(NotificationTarget target) {
  return target != NotificationTarget::webhook && target != NotificationTarget::parent &&
         target != NotificationTarget::hook;
}

std::string place_of(const NotificationRequested& requested) {
  std::string place(base::enum_name(requested.target));
  if (requested.target == NotificationTarget::channel) place += ' ' + requested.channel;
  if (requested.target == NotificationTarget::parent) {
    place +=
        ' ' + (requested.parent_key->empty() ? requested.parent.text() : *requested.parent_key);
  }
  // The end of each session is told by itself.
  if (requested.target == NotificationTarget::hook) place += ' ' + requested.session.text();
  return place;
}

void count_told(Told& told, const NotificationRequested& requested, Time now) {
  for (auto& [place, times] : told) {
    std::erase_if(times, [&](Time at) { return at + kPacedTime <= now; });
  }
  std::erase_if(told, [](const auto& place) { return place.second.empty(); });
  told[place_of(requested)].push_back(now);
}

Time can_hear_at(const Told& told, const NotificationRequested& requested, std::int64_t told_max) {
  if (told_max <= 0 || !is_paced(requested.target)) return {};
  const auto place = told.find(place_of(requested));
  const auto max = static_cast<std::size_t>(told_max);
  if (place == told.end() || place->second.size() < max) return {};
  return place->second[place->second.size() - max] + kPacedTime;
}

}  // namespace domain
