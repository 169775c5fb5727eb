// A process that only follows levels of a feed, as fast as it can. There is no log behind the feed
// to read again, so a lost message ends it with an error.
#pragma once

#include <string>

#include "bus/log_identity.hpp"

namespace benchmarks {

// Sessions of the benchmark's feed: event number n belongs to session n modulo kFeedSessions.
constexpr std::int64_t kFeedSessions = 1000;
// A subscriber prints "1" on stdout each time it has received this many events. The first is for
// one that follows all events, in messages of 256; the second for one that follows sessions, where
// each event is a message.
constexpr std::int64_t kFeedReportEvery = 1 << 12;
constexpr std::int64_t kFeedLevelReportEvery = 160;

// The history that the benchmark's publisher and subscribers agree on.
bus::LogIdentity feed_identity();
// Returns the level of session number 0 to kFeedSessions - 1.
std::string feed_level(std::int64_t session);

// The process's own part; returns an exit code. `spec` is the feed's endpoint, a comma, then "all"
// or "<n>/<of>", which follows the sessions whose number modulo `of` is n, all over one connection.
// Prints "live" once all subscriptions are in force.
int run_feed_subscriber(const std::string& spec);

}  // namespace benchmarks
