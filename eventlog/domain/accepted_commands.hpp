// The clients' commands that a session has accepted: what a retry is answered with, however late.
// They are most of what a session takes in memory, so they are held close together. Pure.
#pragma once

#include <optional>

#include "eventlog/base/boxed.hpp"
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

class AcceptedCommands {
 public:
  // Of one that is known only the position changes.
  void remember(const AcceptedCommand& accepted);
  std::optional<AcceptedCommand> find(const CommandId& command) const;
  // The one with the `index`th id, from 0 to size() - 1.
  AcceptedCommand at(std::size_t index) const;
  std::size_t size() const { return entries_.size(); }
  void clear() { *this = {}; }
  // Room for so many, and no more.
  void reserve(std::size_t count) { entries_.reserve(count); }

  bool operator==(const AcceptedCommands& other) const;

 private:
  // 28 bytes, for most logs end before position 2^32.
  struct Entry {
    CommandId command;
    BodyDigest digest;
    std::uint32_t position_low;
  };
  std::size_t place_of(const CommandId& command) const;
  void set_position(std::size_t index, Position position);

  std::vector<Entry> entries_;                              // ascending by id
  base::Boxed<std::vector<std::uint32_t>> positions_high_;  // of each; none: all are 0
};

// In bytes they are a list of AcceptedCommand; fields.hpp finds these by their arguments.
void write(base::MsgpackWriter& out, const AcceptedCommands& commands);
bool read_field(base::MsgpackReader& in, base::ByteView name, AcceptedCommands& commands,
                base::detail::BadField* bad);

}  // namespace domain
