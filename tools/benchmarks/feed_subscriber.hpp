// Somebody who only follows levels of a feed, as fast as it can, in a process of its own. There is
// no log behind the feed that it could read: a lost message ends it with an error.
#pragma once

#include <string>

#include "bus/log_identity.hpp"

namespace benchmarks {

// Sessions of the benchmark's feed: event number n is one of session n modulo kFeedSessions.
constexpr std::int64_t kFeedSessions = 1000;
// Deliveries after which a subscriber says "1" on stdout, each time: one that follows all events,
// in messages of 256, and one that follows sessions, where each event is a message.
constexpr std::int64_t kFeedReportEvery = 1 << 12;
constexpr std::int64_t kFeedLevelReportEvery = 160;

// The history that publisher and subscribers of the benchmark agree on.
bus::LogIdentity feed_identity();
// Of session number 0 to kFeedSessions - 1.
std::string feed_level(std::int64_t session);

// What the process does; returns an exit code. `spec`: the feed's endpoint, then a comma, then
// "all" or "<n>/<of>", which follows the sessions whose number leaves the rest n by `of`, all
// over one connection. Says "live" once all subscriptions are in force.
int run_feed_subscriber(const std::string& spec);

}  // namespace benchmarks
