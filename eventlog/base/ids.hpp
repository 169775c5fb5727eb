// 128-bit ids, one type for each kind of thing. They are made as UUIDv7 (RFC 9562, section 5.7)
// from time and randomness, so that they sort by creation time.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"

namespace base {

using IdBytes = std::array<char, 16>;

// Returns the dashed form, as in "01890a5d-ac96-774b-bcce-b302099a8057".
std::string id_text(const IdBytes& bytes);
// Accepts the dashed form and 32 hexadecimal digits, in either case; nothing else.
std::optional<IdBytes> parse_id(std::string_view text);
IdBytes make_id_bytes(Time now, Random& random);

template <class Tag>
struct Id {
  IdBytes bytes{};

  bool operator==(const Id&) const = default;
  // Compares unsigned bytes, like the id's text and its key in a store; a char may be signed.
  std::strong_ordering operator<=>(const Id& other) const {
    const std::uint64_t mine = half(0);
    const std::uint64_t others = other.half(0);
    return mine != others ? mine <=> others : half(8) <=> other.half(8);
  }
  bool is_set() const { return *this != Id{}; }
  std::string text() const { return id_text(bytes); }
  std::string_view view() const { return {bytes.data(), bytes.size()}; }

  static std::optional<Id> parse(std::string_view text) {
    const auto parsed = parse_id(text);
    return parsed ? std::optional<Id>(Id{*parsed}) : std::nullopt;
  }
  static Id make(Time now, Random& random) { return {make_id_bytes(now, random)}; }
  // Returns when make() made it, in whole milliseconds; arbitrary for an id that was made
  // otherwise.
  Time made_at() const { return {static_cast<std::int64_t>(half(0) >> 16) * 1000}; }

 private:
  // Returns the eight bytes from `at` on as a number that sorts as they do.
  std::uint64_t half(std::size_t at) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return __builtin_bswap64(number);
  }
};

using SessionId = Id<struct SessionIdTag>;
using CommandId = Id<struct CommandIdTag>;  // the idempotency key, made and kept by the sender
using TurnId = Id<struct TurnIdTag>;        // equals the id of the command that queued the turn
using EventId = Id<struct EventIdTag>;
using WorkerId = Id<struct WorkerIdTag>;  // one life of one worker process
using LogId = Id<struct LogIdTag>;
using ServerId = Id<struct ServerIdTag>;  // one life of one server process: its incarnation

}  // namespace base
