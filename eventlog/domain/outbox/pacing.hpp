// Pacing: one place is told so much in a minute, and the rest waits. Deliveries are counted on the
// record, so that a restart does not begin anew.
#pragma once

#include "eventlog/domain/outbox/state.hpp"

namespace domain {

// The time in which deliveries to one place are counted.
constexpr base::Duration kPacedTime = std::chrono::minutes(1);

// The times of the counted deliveries to each place; the latest is last.
using Told = decltype(OutboxState::told);

// True for what people read, and for the orchestrator. Programs behind a webhook hear as much as
// there is. So does a parent, which may take no prompt later.
bool is_paced(NotificationTarget target);

// Returns the name of the place that hears the notification: a channel, a parent, or the target
// itself if it has one place only. Places of different targets have different names.
std::string place_of(const NotificationRequested& requested);

// Forgets what is older than kPacedTime, and counts a delivery to the place.
void count_told(Told& told, const NotificationRequested& requested, Time now);

// Returns the log time from which the place can hear the notification; 0: it can at any time.
// `told_max`: deliveries to one place in kPacedTime; 0: no limit.
Time can_hear_at(const Told& told, const NotificationRequested& requested, std::int64_t told_max);

}  // namespace domain
