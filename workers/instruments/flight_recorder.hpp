// The last steps of a loop, kept in a ring of fixed size and written out when an invariant breaks,
// to show what led up to it. It holds numbers only, never a text.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "eventlog/base/fields.hpp"

namespace workers {

enum class FlightKind {
  frame,     // received; number: 0 from a client, 1 from a worker
  decided,   // commands were decided in a cycle; number: how many still wait
  appended,  // number: the log's tail
  durable,   // number: position
  answered,  // number: how many commands
  directed,  // number: sessions with a lease or a prompt that waits
  failed,    // number: 0
};

struct FlightEntry {
  base::Duration at{0};  // boot time
  FlightKind kind = FlightKind::frame;
  std::int64_t number = 0;

  bool operator==(const FlightEntry&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("at_us", &FlightEntry::at);
    visit("kind", &FlightEntry::kind);
    visit("number", &FlightEntry::number);
  }
};

// Used by one thread.
class FlightRecorder {
 public:
  static constexpr std::size_t kEntriesMax = 4096;  // some 0.1 s of a busy loop

  void add(base::Duration at, FlightKind kind, std::int64_t number) {
    ring_[next_++ % kEntriesMax] = {at, kind, number};
  }
  // Returns the entries, oldest first.
  std::vector<FlightEntry> entries() const;
  // Writes one line an entry: "<µs> <kind> <number>". Returns false if it could not.
  bool write_to(const std::string& path) const;

 private:
  std::array<FlightEntry, kEntriesMax> ring_{};
  std::size_t next_ = 0;
};

}  // namespace workers

template <>
struct base::EnumNames<workers::FlightKind> {
  static constexpr std::string_view kNames[] = {"frame",    "decided",  "appended", "durable",
                                                "answered", "directed", "failed"};
};
