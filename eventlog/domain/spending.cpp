// Adds figures up without ever leaving the range of the log's integers.
#include "eventlog/domain/spending.hpp"

#include <algorithm>

#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

ModelSpending& of_model(Spending& spent, const std::string& model) {
  const auto find = [&](const std::string& name) {
    return std::find_if(spent.begin(), spent.end(),
                        [&](const ModelSpending& m) { return m.model == name; });
  };
  auto found = find(model);
  if (found == spent.end() && spent.size() + 1 >= kModelsMax) found = find({});
  if (found != spent.end()) return *found;
  const bool has_room = spent.size() + 1 < kModelsMax;
  return spent.emplace_back(ModelSpending{has_room ? model : std::string(), {}, {}, false});
}

std::int64_t in_range(std::int64_t value) {
  return std::clamp<std::int64_t>(value, 0, base::kIntegerLimit - 1);
}

}  // namespace

void add_bounded(std::int64_t& sum, std::int64_t part) {
  sum = std::clamp(sum + part, 1 - base::kIntegerLimit, base::kIntegerLimit - 1);
}

void add(Usage& sum, const Usage& part) {
  add_bounded(sum.input_tokens, part.input_tokens);
  add_bounded(sum.output_tokens, part.output_tokens);
  add_bounded(sum.cache_read_tokens, part.cache_read_tokens);
  add_bounded(sum.cache_creation_tokens, part.cache_creation_tokens);
}

void add(Spending& sum, const Spending& part) {
  for (const ModelSpending& each : part) {
    ModelSpending& of = of_model(sum, each.model);
    add(of.usage, each.usage);
    add_bounded(of.cost.value, each.cost.value);
    of.is_unpriced |= each.is_unpriced;
  }
}

Spending proper(const Spending& claimed) {
  Spending spent;
  for (const ModelSpending& each : claimed) {
    const Usage& u = each.usage;
    add(spent, {{cut_fact(each.model),
                 {in_range(u.input_tokens), in_range(u.output_tokens),
                  in_range(u.cache_read_tokens), in_range(u.cache_creation_tokens)},
                 {in_range(each.cost.value)},
                 each.is_unpriced}});
  }
  return spent;
}

std::int64_t tokens_of(const Usage& usage) {
  std::int64_t sum = 0;
  for (const std::int64_t part : {usage.input_tokens, usage.output_tokens, usage.cache_read_tokens,
                                  usage.cache_creation_tokens}) {
    add_bounded(sum, part);
  }
  return sum;
}

EndReason used_up(const UseLimits& limits, const Use& use) {
  if (limits.max_tokens > 0 && use.tokens >= limits.max_tokens) return EndReason::max_tokens;
  if (limits.max_tool_calls > 0 && use.tool_calls > limits.max_tool_calls) {
    return EndReason::max_tool_calls;
  }
  if (limits.max_output_bytes > 0 && use.output_bytes >= limits.max_output_bytes) {
    return EndReason::max_output_bytes;
  }
  return EndReason::none;
}

Usage usage_of(const Spending& spent) {
  Usage sum;
  for (const ModelSpending& each : spent) add(sum, each.usage);
  return sum;
}

NanoUsd cost_of(const Spending& spent) {
  NanoUsd sum;
  for (const ModelSpending& each : spent) add_bounded(sum.value, each.cost.value);
  return sum;
}

bool has_unpriced(const Spending& spent) {
  return std::any_of(spent.begin(), spent.end(),
                     [](const ModelSpending& m) { return m.is_unpriced; });
}

TurnCost booked(const Spending& spent) {
  TurnCost cost;
  cost.usage = usage_of(spent);
  cost.cost = cost_of(spent);
  cost.basis = has_unpriced(spent) ? CostBasis::unknown : CostBasis::at_least;
  cost.spent = spent;
  cost.booked = spent;
  return cost;
}

UnbookedCost unbooked(const TurnCost& turn) {
  const Usage booked = usage_of(turn.booked);
  UnbookedCost rest{turn.usage, turn.cost};
  add(rest.usage, {-booked.input_tokens, -booked.output_tokens, -booked.cache_read_tokens,
                   -booked.cache_creation_tokens});
  add_bounded(rest.cost.value, -cost_of(turn.booked).value);
  return rest;
}

}  // namespace domain
