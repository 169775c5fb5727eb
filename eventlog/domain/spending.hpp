// The use that agents make of models, and its cost. All figures come from agents, so they are cut
// to what the log can hold.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/types.hpp"

namespace domain {

// How a figure is known. Of several, the last in this order counts.
enum class CostBasis : std::uint8_t {
  totals,     // the difference of two running totals of the agent
  reported,   // the agent said what it used since its last result
  shared,     // likewise, and other turns' tasks, or prompts answered together, are part of it
  estimated,  // the agent guessed a part, such as the output of a call that was cut off
  at_least,   // what was seen until the agent died or was ended
  // Spent where nobody listened, at a price that is not known, or a figure that cannot be right.
  unknown,
};

// The use of one model.
struct ModelSpending {
  std::string model;  // as the agent names it; empty: not said
  Usage usage;
  NanoUsd cost;
  bool is_unpriced = false;  // a part of the use has no price that is known, and is not in the cost

  bool operator==(const ModelSpending&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("model", &ModelSpending::model);
    visit("usage", &ModelSpending::usage);
    visit("cost", &ModelSpending::cost);
    visit("unpriced", &ModelSpending::is_unpriced);
  }
};

// By model, each at most once, in the order of their first use.
using Spending = std::vector<ModelSpending>;

// An agent can name any number of models. Those beyond this are added up under an empty name.
constexpr std::size_t kModelsMax = 16;

// The cost of a turn.
struct TurnCost {
  Usage usage;
  NanoUsd cost;
  NanoUsd agent_total;  // the agent's own running total, resumes included; 0: not said
  std::int64_t model_calls = 0;
  base::Duration took{};
  CostBasis basis = CostBasis::totals;
  Spending spent{};  // usage and cost by model; empty: they are known as sums only
  // The part of it that the turn's SpendingRecorded events have told. What they tell after the
  // turn's end is in no TurnCost.
  Spending booked{};
  NanoUsd claimed{};  // what the agent says that the turn cost; 0: not said

  bool operator==(const TurnCost&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("usage", &TurnCost::usage);
    visit("cost", &TurnCost::cost);
    visit("agent_total", &TurnCost::agent_total);
    visit("model_calls", &TurnCost::model_calls);
    visit("took_us", &TurnCost::took);
    visit("basis", &TurnCost::basis);
    visit("spent", &TurnCost::spent);
    visit("booked", &TurnCost::booked);
    visit("claimed", &TurnCost::claimed);
  }
};

// Adds within the range that the log can hold: at 9 million dollars a sum stops.
void add_bounded(std::int64_t& sum, std::int64_t part);
void add(Usage& sum, const Usage& part);
void add(Spending& sum, const Spending& part);

// The use that a session has made of what UseLimits can limit.
struct Use {
  std::int64_t tokens = 0;
  std::int64_t tool_calls = 0;
  std::int64_t output_bytes = 0;
};

// Returns the limit that is reached; none: the session can go on. Tool calls are only too many once
// there is one more than is allowed, because a call that has begun is not to be cut off.
EndReason used_up(const UseLimits& limits, const Use& use);

// True for the limits that stay reached for as long as the session lives.
constexpr bool is_spent(EndReason reason) {
  return reason == EndReason::budget || reason == EndReason::max_tokens ||
         reason == EndReason::max_tool_calls || reason == EndReason::max_output_bytes;
}

// Returns the figures as they can be recorded: names cut, models merged, values within range and
// not below zero.
Spending proper(const Spending& claimed);

// Tokens of all kinds.
std::int64_t tokens_of(const Usage& usage);
Usage usage_of(const Spending& spent);
NanoUsd cost_of(const Spending& spent);
// True if a part of it has no price that is known.
bool has_unpriced(const Spending& spent);

// True if the cost is at least the figure, and nobody knows how much more.
constexpr bool is_lower_bound(CostBasis basis) {
  return basis >= CostBasis::at_least;
}

// Returns the cost of a turn whose result will not come, and for which this was booked.
TurnCost booked(const Spending& spent);

// Usage and cost of a turn without the part that was booked before its end.
struct UnbookedCost {
  Usage usage;
  NanoUsd cost;
};
UnbookedCost unbooked(const TurnCost& turn);

}  // namespace domain

template <>
struct base::EnumNames<domain::CostBasis> {
  static constexpr std::string_view kNames[] = {"totals",    "reported", "shared",
                                                "estimated", "at_least", "unknown"};
};
