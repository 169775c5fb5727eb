// The list of all aggregates, and the types and schemas that follow from it.
#pragma once

#include "eventlog/domain/admission/admission.hpp"
#include "eventlog/domain/budget/budget.hpp"
#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/lanes.hpp"
#include "eventlog/domain/labels/labels.hpp"
#include "eventlog/domain/lineage/lineage.hpp"
#include "eventlog/domain/outbox/outbox.hpp"
#include "eventlog/domain/registry/registry.hpp"
#include "eventlog/domain/rules/rules.hpp"
#include "eventlog/domain/schedules/schedules.hpp"
#include "eventlog/domain/server/server.hpp"
#include "eventlog/domain/session/session.hpp"
#include "eventlog/domain/stream_ref.hpp"
#include "eventlog/domain/total_budget/total_budget.hpp"

namespace domain {

using Aggregates = base::Types<SessionStream, RegistryStream, LineageStream, BudgetStream,
                               TotalBudgetStream, AdmissionStream, OutboxStream, SchedulesStream,
                               ServerStream, ConversationStream, LanesStream, LabelsStream,
                               RulesStream>;

namespace detail {
template <class List>
struct OfAll;
template <class... A>
struct OfAll<base::Types<A...>> {
  using Events = base::United<typename A::Events...>;
  using States = base::Types<typename A::State...>;
};

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

using StreamState = base::VariantOf<detail::OfAll<Aggregates>::States>;

// Schema of a stored form that holds states of several aggregates. It grows with the schema of any
// of them. All schemas began with kFirstSchema.
inline constexpr std::int64_t kFirstSchema = 6;
inline constexpr std::int64_t kSchemaOfAll = detail::schema_of_all<kFirstSchema>(Aggregates{});

template <class State>
inline constexpr std::int64_t kSchemaOf = detail::schema_of<State>(Aggregates{});

// Streams of the aggregate can be under way (aggregate.hpp).
template <class A>
concept CanBeUnderWay = requires(const typename A::State& state) {
  { A::is_under_way(state) } -> std::same_as<bool>;
};

namespace detail {
template <class A>
struct PartOf {
  using Type = typename A::State;
  static const Type& of(const typename A::State& state) { return state; }
};
template <class A>
requires requires {
  typename A::UnderWay;
}
struct PartOf<A> {
  using Type = typename A::UnderWay;
  static Type of(const typename A::State& state) { return A::under_way(state); }
};

template <class Use, class... A>
bool use_aggregate(const StreamRef& ref, Use&& use, base::Types<A...>) {
  return ((ref.is<A>() && (use.template operator()<A>(), true)) || ...);
}
}  // namespace detail

// The part of a state that reactors need while the stream is under way.
template <CanBeUnderWay A>
using UnderWayOf = typename detail::PartOf<A>::Type;
template <CanBeUnderWay A>
UnderWayOf<A> under_way_of(const typename A::State& state) {
  return detail::PartOf<A>::of(state);
}

// Calls use.operator()<A>() with the aggregate of the stream. Returns false if it is none's.
template <class Use>
bool use_aggregate(const StreamRef& ref, Use&& use) {
  return detail::use_aggregate(ref, use, Aggregates{});
}

}  // namespace domain
