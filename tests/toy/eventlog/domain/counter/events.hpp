// Facts of a counter.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

struct CounterRaised {
  static constexpr std::string_view kType = "CounterRaised";
  std::int64_t by = 0;

  bool operator==(const CounterRaised&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("by", &CounterRaised::by);
  }
};

struct CounterReset {
  static constexpr std::string_view kType = "CounterReset";

  bool operator==(const CounterReset&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

using CounterEvents = base::Types<CounterRaised, CounterReset>;

}  // namespace domain
