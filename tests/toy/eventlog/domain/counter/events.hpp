// Facts of a counter.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

struct CounterRaised {
  static constexpr std::string_view kType = "CounterRaised";
  std::int64_t by = 0;

  bool operator==(const CounterRaised&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("by", self.by);
  }
};

struct CounterReset {
  static constexpr std::string_view kType = "CounterReset";

  bool operator==(const CounterReset&) const = default;
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

using CounterEvents = base::Types<CounterRaised, CounterReset>;

}  // namespace domain
