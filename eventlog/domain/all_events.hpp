// The events of all aggregates, for code that treats each type.
#pragma once

#include <tuple>
#include <type_traits>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/event.hpp"

namespace domain {

using AllEvents = detail::OfAll<Aggregates>::Events;

// Returns the place of the event's type in AllEvents. The event must hold a fact.
std::size_t index_of(const Event& event);

namespace detail {
template <class Use, class Held, class... E>
decltype(auto) visit(base::Types<E...>, Use& use, Held& event) {
  using First = decltype(*event.template as<std::tuple_element_t<0, std::tuple<E...>>>());
  using Returned = std::invoke_result_t<Use&, First>;
  static_assert(
      (std::same_as<Returned, std::invoke_result_t<Use&, decltype(*event.template as<E>())>> &&
       ...),
      "one type is returned, whichever the event is");
  using Call = Returned (*)(Use&, Held&);
  static constexpr Call kCalls[] = {
      [](Use& used, Held& held) -> Returned { return used(*held.template as<E>()); }...};
  return kCalls[index_of(event)](use, event);
}
}  // namespace detail

// Returns `use(fact)`. The event must hold a fact.
template <class Use>
decltype(auto) visit(Use&& use, const Event& event) {
  return detail::visit(AllEvents{}, use, event);
}
template <class Use>
decltype(auto) visit(Use&& use, Event& event) {
  return detail::visit(AllEvents{}, use, event);
}

}  // namespace domain
