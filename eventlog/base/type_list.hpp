// Lists of types, and questions about them that are answered at compile time.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <variant>

namespace base {

template <class... T>
struct Types {
  static constexpr std::size_t kCount = sizeof...(T);
};

template <class T, class List>
inline constexpr bool kContains = false;
template <class T, class... Members>
inline constexpr bool kContains<T, Types<Members...>> = (std::same_as<T, Members> || ...);

// True if each member of one list is in the other, and none is in a list twice.
template <class A, class B>
inline constexpr bool kHasSameMembers = false;
template <class... A, class... B>
inline constexpr bool kHasSameMembers<Types<A...>, Types<B...>> =
    sizeof...(A) == sizeof...(B) && (kContains<A, Types<B...>> && ...) &&
    (kContains<B, Types<A...>> && ...);

namespace detail {
template <class... Lists>
struct Joined;
template <class... T>
struct Joined<Types<T...>> {
  using Type = Types<T...>;
};
template <class... A, class... B, class... Rest>
struct Joined<Types<A...>, Types<B...>, Rest...> : Joined<Types<A..., B...>, Rest...> {};

template <class List, class... Rest>
struct United;
template <class... T>
struct United<Types<T...>> {
  using Type = Types<T...>;
};
template <class... T, class... Rest>
struct United<Types<T...>, Types<>, Rest...> : United<Types<T...>, Rest...> {};
template <class... T, class Next, class... More, class... Rest>
struct United<Types<T...>, Types<Next, More...>, Rest...>
    : std::conditional_t<kContains<Next, Types<T...>>, United<Types<T...>, Types<More...>, Rest...>,
                         United<Types<T..., Next>, Types<More...>, Rest...>> {};

template <class List>
struct VariantOf;
template <class... T>
struct VariantOf<Types<T...>> {
  using Type = std::variant<T...>;
};
template <class T, class... Members>
constexpr bool is_alternative(const std::variant<Members...>*) {
  return (std::same_as<T, Members> || ...);
}
}  // namespace detail

// True if each member of `Part` is in `List`.
template <class Part, class List>
inline constexpr bool kHasAll = false;
template <class... Members, class List>
inline constexpr bool kHasAll<Types<Members...>, List> = (kContains<Members, List> && ...);

// True if T is an alternative of the variant, or of the variant that it is derived from.
template <class T, class Variant>
inline constexpr bool kIsAlternative =
    detail::is_alternative<T>(static_cast<const Variant*>(nullptr));

// One list of the members of all lists, in their order.
template <class... Lists>
using Joined = typename detail::Joined<Lists...>::Type;

// The same, with each member once, where it comes first.
template <class... Lists>
using United = typename detail::United<Types<>, Lists...>::Type;

template <class List>
using VariantOf = typename detail::VariantOf<List>::Type;

}  // namespace base
