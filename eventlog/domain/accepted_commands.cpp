// A sorted vector of 28-byte entries; the high halves of positions are kept apart and only if one
// of them is not zero.
#include "eventlog/domain/accepted_commands.hpp"

#include <algorithm>

namespace domain {

void remember(std::vector<AcceptedCommand>& requests, const Envelope& envelope) {
  requests.push_back({envelope.command, envelope.command_digest, envelope.position});
  if (requests.size() > kRequestsMax) requests.erase(requests.begin());
}

std::optional<AcceptedCommand> find_request(const std::vector<AcceptedCommand>& requests,
                                            const CommandId& command) {
  const auto found = std::find_if(requests.rbegin(), requests.rend(),
                                  [&](const AcceptedCommand& r) { return r.command == command; });
  return found == requests.rend() ? std::nullopt : std::optional(*found);
}

bool tells_its_time(const CommandId& id, Time now) {
  constexpr Time kFirst{1'577'836'800'000'000};  // the year 2020, before there were such ids
  constexpr base::Duration kAhead = std::chrono::minutes(10);  // of clocks that are not set well
  const bool is_version_7 = (static_cast<unsigned char>(id.bytes[6]) >> 4) == 7;
  const Time made = id.made_at();
  return is_version_7 && made >= kFirst && made <= now + kAhead;
}

std::size_t AcceptedCommands::place_of(const CommandId& command) const {
  // Ids sort by creation time, so that most commands come last.
  if (entries_.empty() || entries_.back().command < command) return entries_.size();
  const auto place =
      std::lower_bound(entries_.begin(), entries_.end(), command,
                       [](const Entry& known, const CommandId& id) { return known.command < id; });
  return static_cast<std::size_t>(place - entries_.begin());
}

void AcceptedCommands::set_position(std::size_t index, Position position) {
  const auto bits = static_cast<std::uint64_t>(position.value);
  const auto high = static_cast<std::uint32_t>(bits >> 32);
  entries_[index].position_low = static_cast<std::uint32_t>(bits);
  if (high != 0 && !positions_high_) positions_high_.emplace().resize(entries_.size());
  if (positions_high_) (*positions_high_)[index] = high;
}

AcceptedCommand AcceptedCommands::at(std::size_t index) const {
  const Entry& entry = entries_[index];
  const std::uint64_t high = positions_high_ ? (*positions_high_)[index] : 0;
  const auto position = static_cast<std::int64_t>(high << 32 | entry.position_low);
  return {entry.command, entry.digest, {position}};
}

void AcceptedCommands::remember(const AcceptedCommand& accepted) {
  const std::size_t index = place_of(accepted.command);
  if (index < size() && entries_[index].command == accepted.command) {
  } else {
    // Grows by a small share: doubling would leave half of the vector empty.
    if (size() == entries_.capacity()) entries_.reserve(size() + size() / 32 + 2);
    const auto offset = static_cast<std::ptrdiff_t>(index);
    entries_.insert(entries_.begin() + offset, {accepted.command, accepted.digest, 0});
    if (positions_high_) positions_high_->insert(positions_high_->begin() + offset, 0);
  }
  set_position(index, accepted.position);
}

std::optional<AcceptedCommand> AcceptedCommands::find(const CommandId& command) const {
  const std::size_t index = place_of(command);
  if (index == size() || entries_[index].command != command) return std::nullopt;
  return at(index);
}

Time AcceptedCommands::forget_oldest(Time now) {
  if (size() <= kRememberedMax) return {};
  std::vector<Position> positions;
  positions.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) positions.push_back(at(i).position);
  const auto first_kept = positions.end() - static_cast<std::ptrdiff_t>(kRememberedMin);
  std::nth_element(positions.begin(), first_kept, positions.end());
  AcceptedCommands kept;
  kept.reserve(kRememberedMin);
  Time latest;
  for (std::size_t i = 0; i < size(); ++i) {
    const AcceptedCommand accepted = at(i);
    if (accepted.position >= *first_kept) {
      kept.remember(accepted);
    } else if (tells_its_time(accepted.command, now)) {
      latest = std::max(latest, accepted.command.made_at());
    }
  }
  *this = std::move(kept);
  return latest;
}

bool AcceptedCommands::operator==(const AcceptedCommands& other) const {
  if (size() != other.size()) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    if (at(i) != other.at(i)) return false;
  }
  return true;
}

void write(base::MsgpackWriter& out, const AcceptedCommands& commands) {
  out.array(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) base::detail::write(out, commands.at(i));
}

bool read_field(base::MsgpackReader& in, base::ByteView name, AcceptedCommands& commands,
                base::detail::BadField* bad) {
  std::vector<AcceptedCommand> read;
  if (!base::detail::read_field(in, name, read, bad)) return false;
  commands.clear();
  commands.reserve(read.size());
  for (const AcceptedCommand& accepted : read) commands.remember(accepted);
  return true;
}

}  // namespace domain
