// A log of whole sessions, as a server would have written it.
#pragma once

#include <limits>

#include "tests/support/log.hpp"
#include "tests/support/session_driver.hpp"

namespace support {

// Writes a history of sessions made by decide: its events in order of position, from `from` through
// `through`, cut into random blocks.
inline void write_history(eventlog::BlockStore& store, std::uint64_t seed, std::int64_t from = 1,
                          std::int64_t through = std::numeric_limits<std::int64_t>::max()) {
  SessionDriver driver(seed);
  for (int step = 0; step < 500; ++step) driver.step();
  std::map<std::int64_t, domain::RecordedEvent> events;
  for (const auto& [name, stream] : driver.streams()) {
    for (const auto& event : stream.events) events.emplace(event.envelope.position.value, event);
  }
  base::SeededRandom random(seed);
  StoreWriter writer(store);
  for (const auto& [position, event] : events) {
    if (position > through) break;
    if (position < from) continue;
    writer.set_version(event.envelope.stream, {event.envelope.version.value - 1});
    writer.append(event.envelope.stream, event.event);
    if (random.chance(30)) writer.flush();
  }
  writer.flush();
}

}  // namespace support
