// Requests to a counter.
#pragma once

#include "eventlog/domain/counter/state.hpp"

namespace domain {

struct RaiseCounter {
  static constexpr std::string_view kType = "RaiseCounter";
  std::int64_t by = 1;

  bool operator==(const RaiseCounter&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("by", &RaiseCounter::by);
  }
};

// Sent by the server itself.
struct ResetCounter {
  static constexpr std::string_view kType = "ResetCounter";

  bool operator==(const ResetCounter&) const = default;
};

// Raises the counter of that name by one; the first that names it begins it.
struct CountNamed {
  static constexpr std::string_view kType = "CountNamed";
  static constexpr bool kOpens = true;
  std::string name;

  std::string_view key() const { return name; }
  bool operator==(const CountNamed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &CountNamed::name);
  }
};

using CounterClientCommands = base::Types<RaiseCounter, CountNamed>;
using CounterCommand = std::variant<RaiseCounter, ResetCounter, CountNamed>;

struct CounterReply {
  std::int64_t value = 0;

  bool operator==(const CounterReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("value", &CounterReply::value);
  }
};

void reads(const CounterCommand& command, const StreamRef& target, Reads& further);
Decided decide(const CounterCommand& command, const States& states, const Context& context);
CounterReply reply(const CounterState& state, const CounterCommand& command);

}  // namespace domain
