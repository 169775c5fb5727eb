// Entries are copied out of the ring in the order in which they were added.
#include "workers/instruments/flight_recorder.hpp"

#include <algorithm>
#include <fstream>

namespace workers {

std::vector<FlightEntry> FlightRecorder::entries() const {
  std::vector<FlightEntry> entries;
  const std::size_t count = std::min(next_, kEntriesMax);
  for (std::size_t i = next_ - count; i < next_; ++i) entries.push_back(ring_[i % kEntriesMax]);
  return entries;
}

bool FlightRecorder::write_to(const std::string& path) const {
  std::ofstream file(path, std::ios::trunc);
  for (const FlightEntry& entry : entries()) {
    file << entry.at.count() << ' ' << base::enum_name(entry.kind) << ' ' << entry.number << '\n';
  }
  return static_cast<bool>(file.flush());
}

}  // namespace workers
