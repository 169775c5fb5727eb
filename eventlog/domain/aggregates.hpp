// The list of all aggregates, and the types and schemas that follow from it.
#pragma once

#include "eventlog/domain/admission/admission.hpp"
#include "eventlog/domain/budget/budget.hpp"
#include "eventlog/domain/lineage/lineage.hpp"
#include "eventlog/domain/outbox/outbox.hpp"
#include "eventlog/domain/registry/registry.hpp"
#include "eventlog/domain/schedules/schedules.hpp"
#include "eventlog/domain/server/server.hpp"
#include "eventlog/domain/session/session.hpp"
#include "eventlog/domain/total_budget/total_budget.hpp"

namespace domain {

using Aggregates =
    base::Types<SessionStream, RegistryStream, LineageStream, BudgetStream, TotalBudgetStream,
                AdmissionStream, OutboxStream, SchedulesStream, ServerStream>;

namespace detail {
template <class List>
struct OfAll;
template <class... A>
struct OfAll<base::Types<A...>> {
  using Events = base::Joined<typename A::Events...>;
  using States = base::Types<typename A::State...>;
};

template <class Owned, class... A>
constexpr std::size_t index_of(base::Types<A...>) {
  static_assert((std::same_as<Owned, A> || ...), "an aggregate of the list");
  std::size_t index = 0;
  for (const bool is_it : {std::same_as<Owned, A>...}) {
    if (is_it) return index;
    ++index;
  }
  return index;
}

template <class State, class... A>
constexpr std::int64_t schema_of(base::Types<A...>) {
  std::int64_t schema = 0;
  ((std::same_as<State, typename A::State> ? void(schema = A::kStateSchema) : void()), ...);
  return schema;
}

template <std::int64_t kFirst, class... A>
constexpr std::int64_t schema_of_all(base::Types<A...>) {
  static_assert(((A::kStateSchema >= kFirst) && ...), "schemas begin with the first one");
  return kFirst + (... + (A::kStateSchema - kFirst));
}
template <class... A>
constexpr bool are_bounded(base::Types<A...>) {
  return (
      (A::kResidency == Residency::on_demand || A::kPattern.find('{') == std::string_view::npos) &&
      ...);
}
}  // namespace detail

static_assert(detail::are_bounded(Aggregates{}),
              "only single streams stay in memory with the server");

// The place of an aggregate in the list.
template <class Aggregate>
constexpr std::size_t kIndexOf = detail::index_of<Aggregate>(Aggregates{});

using StreamState = base::VariantOf<detail::OfAll<Aggregates>::States>;

// Schema of a stored form that holds states of several aggregates. It grows with the schema of any
// of them. All schemas began with kFirstSchema.
inline constexpr std::int64_t kFirstSchema = 6;
inline constexpr std::int64_t kSchemaOfAll = detail::schema_of_all<kFirstSchema>(Aggregates{});

template <class State>
inline constexpr std::int64_t kSchemaOf = detail::schema_of<State>(Aggregates{});

}  // namespace domain
