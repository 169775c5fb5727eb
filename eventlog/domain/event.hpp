// An event is a fact in the past tense. Its struct holds the facts: ids, numbers and statuses,
// which are never erased. The text that belongs to it ("Content" at each event) travels beside it
// as a Content and can be erased later.
//
// A released event stays for ever. A field can be added; its default must mean what its absence
// meant. A changed meaning is a new schema version with an upcast in event_codec.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eventlog/base/type_list.hpp"

namespace domain {

template <class E>
concept EventFact = requires {
  { E::kType } -> std::convertible_to<std::string_view>;
};

namespace detail {

// FNV-1a (Fowler, Noll and Vo, 32 bits) of a type's name. all_events.cpp checks that no two types
// have the same.
constexpr std::uint32_t tag_of(std::string_view type) {
  std::uint32_t tag = 2'166'136'261u;
  for (const char c : type) tag = (tag ^ static_cast<unsigned char>(c)) * 16'777'619u;
  return tag;
}

struct EventType {
  std::string_view name;
  std::uint32_t tag;
  void (*copy)(void* to, const void* from);
  void (*move)(void* to, void* from) noexcept;
  void (*destroy)(void* fact) noexcept;
  bool (*equal)(const void* a, const void* b);
};

template <EventFact E>
inline constexpr EventType kEventType{
    E::kType,
    tag_of(E::kType),
    [](void* to, const void* from) { new (to) E(*static_cast<const E*>(from)); },
    [](void* to, void* from) noexcept { new (to) E(std::move(*static_cast<E*>(from))); },
    [](void* fact) noexcept { static_cast<E*>(fact)->~E(); },
    [](const void* a, const void* b) {
      return *static_cast<const E*>(a) == *static_cast<const E*>(b);
    },
};

}  // namespace detail

// An event of any type. It needs no list of the types, so an aggregate compiles without the others.
// An event that was moved from keeps its type.
class Event {
 public:
  // Facts are held in place. One that needs more has rare fields that a base::Boxed or base::Sparse
  // can hold.
  static constexpr std::size_t kFactBytesMax = 216;

  // Holds no fact.
  Event() noexcept = default;
  template <EventFact E>
  Event(E fact) {
    emplace<E>(std::move(fact));
  }
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event() { clear(); }

  bool operator==(const Event& other) const;

  // Ends the fact that it holds first, so `from` must not point into that.
  template <EventFact E, class... From>
  E& emplace(From&&... from) {
    static_assert(sizeof(E) <= kFactBytesMax && alignof(E) <= alignof(std::uint64_t));
    static_assert(std::is_nothrow_move_constructible_v<E>);
    clear();
    E* fact = new (fact_) E(std::forward<From>(from)...);
    type_ = &detail::kEventType<E>;
    return *fact;
  }

  // Returns the fact; null if the event is of another type.
  template <EventFact E>
  E* as() {
    return is<E>() ? static_cast<E*>(static_cast<void*>(fact_)) : nullptr;
  }
  template <EventFact E>
  const E* as() const {
    return is<E>() ? static_cast<const E*>(static_cast<const void*>(fact_)) : nullptr;
  }
  template <EventFact E>
  bool is() const {
    return type_ == &detail::kEventType<E>;
  }
  // The event must be of that type.
  template <EventFact E>
  E& get() {
    require_type(&detail::kEventType<E>);
    return *as<E>();
  }
  template <EventFact E>
  const E& get() const {
    require_type(&detail::kEventType<E>);
    return *as<E>();
  }

  // Returns its type's name; empty if it holds no fact.
  std::string_view type() const { return type_ == nullptr ? std::string_view() : type_->name; }
  // Returns a number that its type alone has; 0 if it holds no fact.
  std::uint32_t tag() const { return type_ == nullptr ? 0 : type_->tag; }

 private:
  // Aborts if the event is of another type.
  void require_type(const detail::EventType* type) const;
  void clear() noexcept {
    if (type_ != nullptr) std::exchange(type_, nullptr)->destroy(fact_);
  }

  const detail::EventType* type_ = nullptr;
  alignas(std::uint64_t) std::byte fact_[kFactBytesMax];
};

namespace detail {

// A hash table of the tags of `E`, made at compile time: each type is at its tag or in the next
// free place behind it, as its place in the list plus one.
template <EventFact... E>
struct TagTable {
  static constexpr std::size_t kTypes = sizeof...(E);
  static constexpr std::size_t kPlaces = std::bit_ceil(4 * kTypes);
  static_assert(kTypes < std::numeric_limits<std::uint8_t>::max());
  static constexpr std::array<std::uint32_t, kTypes> kTags{tag_of(E::kType)...};
  static constexpr auto kPlaceOfTag = [] {
    std::array<std::uint8_t, kPlaces> places{};
    for (std::size_t i = 0; i < kTypes; ++i) {
      std::size_t at = kTags[i] % kPlaces;
      while (places[at] != 0) at = (at + 1) % kPlaces;
      places[at] = static_cast<std::uint8_t>(i + 1);
    }
    return places;
  }();

  // Returns the place in the list; kTypes if the tag is of no type in it.
  static constexpr std::size_t find(std::uint32_t tag) {
    std::size_t at = tag % kPlaces;
    while (kPlaceOfTag[at] != 0) {
      const std::size_t index = kPlaceOfTag[at] - std::size_t{1};
      if (kTags[index] == tag) return index;
      at = (at + 1) % kPlaces;
    }
    return kTypes;
  }
};

}  // namespace detail

// Calls `use(fact)` and returns true if the event is one of `Events`.
template <class Use, EventFact... E>
bool use_one_of(base::Types<E...>, const Event& event, Use&& use) {
  const std::size_t index = detail::TagTable<E...>::find(event.tag());
  if (index == sizeof...(E)) return false;
  using Call = void (*)(Use&, const Event&);
  static constexpr Call kCalls[] = {
      [](Use& used, const Event& held) { static_cast<void>(used(*held.as<E>())); }...};
  kCalls[index](use, event);
  return true;
}

// True if the event is one of `Events`.
template <class Events>
bool is_one_of(const Event& event) {
  return use_one_of(Events{}, event, [](const auto&) {});
}

}  // namespace domain
