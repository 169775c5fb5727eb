// The clients' commands that a session has accepted, from which retries are answered. They are most
// of a session's memory, so they are stored compactly. Pure.
#pragma once

#include <optional>

#include "eventlog/base/boxed_optional.hpp"
#include "eventlog/domain/envelope.hpp"

namespace domain {

struct AcceptedCommand {
  CommandId command;
  BodyDigest digest{};
  Position position;  // of its last event

  bool operator==(const AcceptedCommand&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("command", &AcceptedCommand::command);
    visit("digest", &AcceptedCommand::digest);
    visit("position", &AcceptedCommand::position);
  }
};

// Operators' requests that a single stream remembers: more than anybody resends after a lost
// answer. Beyond it the oldest are forgotten.
constexpr std::size_t kRequestsMax = 1024;
void remember(std::vector<AcceptedCommand>& requests, const Envelope& envelope);
std::optional<AcceptedCommand> find_request(const std::vector<AcceptedCommand>& requests,
                                            const CommandId& command);

// Commands that a session remembers at least: those accepted last.
constexpr std::size_t kRememberedMin = 65'536;
// Beyond so many it forgets the others.
constexpr std::size_t kRememberedMax = kRememberedMin + kRememberedMin / 16;

// True if the id tells when it was made: it is a UUID of version 7, as Id::make() makes it, with a
// time that can be true. Ids that were made otherwise, as from a caller's key, tell nothing.
bool tells_its_time(const CommandId& id, Time now);

class AcceptedCommands {
 public:
  // Adds the command; if it is known, changes only its position.
  void remember(const AcceptedCommand& accepted);
  std::optional<AcceptedCommand> find(const CommandId& command) const;
  // Forgets all but the kRememberedMin that were accepted last, if there are over kRememberedMax.
  // Returns the latest time at which an id was made that is forgotten now and tells it; 0: none.
  Time forget_oldest(Time now);
  // Returns the one with the `index`th id, from 0 to size() - 1.
  AcceptedCommand at(std::size_t index) const;
  std::size_t size() const { return entries_.size(); }
  void clear() { *this = {}; }
  // Makes room for exactly `count`.
  void reserve(std::size_t count) { entries_.reserve(count); }

  bool operator==(const AcceptedCommands& other) const;

 private:
  // 28 bytes: most logs end before position 2^32.
  struct Entry {
    CommandId command;
    BodyDigest digest;
    std::uint32_t position_low;
  };
  std::size_t place_of(const CommandId& command) const;
  void set_position(std::size_t index, Position position);

  std::vector<Entry> entries_;                              // ascending by id
  base::Boxed<std::vector<std::uint32_t>> positions_high_;  // one for each entry; none: all are 0
};

// In bytes they are a list of AcceptedCommand; fields.hpp finds these by argument-dependent lookup.
void write(base::MsgpackWriter& out, const AcceptedCommands& commands);
bool read_field(base::MsgpackReader& in, base::ByteView name, AcceptedCommands& commands,
                base::detail::BadField* bad);

}  // namespace domain
