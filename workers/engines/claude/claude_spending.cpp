// Prices each model's use, and takes off what was told before.
#include "workers/engines/claude/claude_spending.hpp"

#include <algorithm>
#include <utility>

namespace engines {
namespace {

using base::NanoUsd;
using domain::CostBasis;
using domain::ModelSpending;
using domain::Spending;
using domain::Usage;

Usage negative(const Usage& u) {
  return {-u.input_tokens, -u.output_tokens, -u.cache_read_tokens, -u.cache_creation_tokens};
}

void subtract(Spending& from, const Spending& part) {
  Spending less = part;
  for (ModelSpending& each : less) {
    each.usage = negative(each.usage);
    each.cost.value = -each.cost.value;
    each.is_unpriced = false;  // the rest says itself whether it has a price
  }
  domain::add(from, less);
}

// Makes all figures of one kind at least 0. What one model is below, others give, since the names
// under which a call is told and counted can differ.
template <class Figure>
void settle(Spending& spent, Figure figure) {
  std::int64_t below = 0;
  for (ModelSpending& each : spent) {
    std::int64_t& value = figure(each);
    if (value < 0) below += std::exchange(value, 0);
  }
  for (ModelSpending& each : spent) {
    std::int64_t& value = figure(each);
    const std::int64_t given = std::min(value, -below);
    value -= given;
    below += given;
  }
}

void settle(Spending& spent) {
  settle(spent, [](ModelSpending& m) -> std::int64_t& { return m.usage.input_tokens; });
  settle(spent, [](ModelSpending& m) -> std::int64_t& { return m.usage.output_tokens; });
  settle(spent, [](ModelSpending& m) -> std::int64_t& { return m.usage.cache_read_tokens; });
  settle(spent, [](ModelSpending& m) -> std::int64_t& { return m.usage.cache_creation_tokens; });
  settle(spent, [](ModelSpending& m) -> std::int64_t& { return m.cost.value; });
  std::erase_if(spent,
                [](const ModelSpending& m) { return m.usage == Usage{} && m.cost.value == 0; });
}

NanoUsd claimed_by(const std::vector<ModelClaim>& claims) {
  NanoUsd sum;
  for (const ModelClaim& claim : claims) {
    if (claim.is_priced.value_or(true)) domain::add_bounded(sum.value, claim.cost.value);
  }
  return sum;
}

}  // namespace

ModelSpending ClaudeSpending::priced(const std::string& model, const Usage& usage) const {
  const auto cost = prices_.cost_of_call(model, usage);
  return {model, usage, cost.value_or(NanoUsd{}), !cost};
}

// The agent's own figure counts where the table has none and the agent knows the price. It guesses
// the others as if they were dear, and older versions do not say which these are.
Spending ClaudeSpending::priced(const std::vector<ModelClaim>& claims) const {
  Spending spent;
  for (const ModelClaim& claim : claims) {
    const bool is_listed = prices_.find(claim.canonical) != nullptr;
    const bool is_guessed = !claim.is_priced.value_or(is_listed);
    std::optional<NanoUsd> cost;
    if (claim.has_list_price) cost = prices_.cost_of_calls(claim.canonical, claim.usage);
    if (!cost && !is_guessed) cost = claim.cost;
    if (!cost) cost = prices_.cost_of_call(claim.canonical, claim.usage);
    domain::add(spent, {{claim.model, claim.usage, cost.value_or(NanoUsd{}), !cost}});
  }
  return spent;
}

void ClaudeSpending::note(base::Time now, bool has_ended) {
  base::Time due = now + kSpendingInterval;
  if (has_ended) due = told_at_ ? std::max(now, *told_at_ + kSpendingPace) : now;
  deadline_ = std::min(deadline_.value_or(due), due);
}

void ClaudeSpending::see(const std::string& model, const Usage& usage) {
  domain::add(seen_, {priced(model, usage)});
}

void ClaudeSpending::on_call(const ModelCall& call, base::Time now) {
  if (!call_.model.empty()) see(call_.model, call_.usage);
  has_broken_off_ |= is_unfinished();
  note(now, is_unfinished());
  call_ = call;
  has_all_usage_ = false;
}

void ClaudeSpending::on_call_usage(const CallUsage& usage, base::Time now) {
  if (call_.model.empty()) return;
  call_.usage.output_tokens = usage.usage.output_tokens;
  if (usage.has_input) call_.usage = usage.usage;
  has_all_usage_ = true;
  note(now, true);
}

void ClaudeSpending::on_subagent_call(const std::string& parent, const ModelCall& call,
                                      base::Time now) {
  const base::Duration since_boot{now.us};
  const std::string* last = subagent_calls_.find(parent, since_boot);
  if (call.model.empty() || (last != nullptr && *last == call.id)) return;
  subagent_calls_.put(parent, call.id, since_boot);
  see(call.model, call.usage);
  note(now, true);
}

Spending ClaudeSpending::take_due(base::Time now) {
  if (!deadline_ || now < *deadline_) return {};
  told_at_ = now;
  return take_rest();
}

Spending ClaudeSpending::take_rest() {
  if (!std::exchange(deadline_, std::nullopt)) return {};
  Spending rest = seen_;
  if (!call_.model.empty()) domain::add(rest, {priced(call_.model, call_.usage)});
  subtract(rest, told_);
  settle(rest);
  domain::add(told_, rest);
  return rest;
}

// Returns what was spent since the last result, as that frame tells it.
Spending ClaudeSpending::since_last(const ResultFrame& frame) {
  const NanoUsd total = frame.result.agent_total;
  const bool is_repeated = frame.run.is_set() && frame.run == result_;
  if (is_repeated) return {};
  if (frame.since) return priced(*frame.since);
  Spending spent = priced(frame.totals);
  if (spent.empty() && !frame.has_odd_figures) {
    const std::int64_t more = std::max<std::int64_t>(0, total.value - total_.value);
    spent = {{{}, frame.result.usage, {more}, false}};
  } else {
    subtract(spent, priced(totals_));
  }
  settle(spent);
  return spent;
}

ClaudeSpending::Told ClaudeSpending::on_result(const ResultFrame& frame, bool is_shared) {
  Told told;
  told.spent = since_last(frame);
  const bool is_new = !told.spent.empty();
  const NanoUsd cost = domain::cost_of(told.spent);
  const NanoUsd claimed = frame.since ? claimed_by(*frame.since) : NanoUsd{};
  if (frame.since && !has_result_ && !frame.has_odd_figures) {
    told.base.value = std::max<std::int64_t>(0, frame.result.agent_total.value - claimed.value);
  }
  if (is_shared) told.basis = CostBasis::shared;
  const bool is_guessed = frame.is_cut_off || has_broken_off_ || is_unfinished();
  if (!frame.since || is_guessed) told.basis = CostBasis::estimated;
  if (frame.has_odd_figures || domain::has_unpriced(told.spent)) told.basis = CostBasis::unknown;
  // A task's call that is under way was told, and the next result counts it.
  Spending early = is_shared ? told_ : Spending{};
  subtract(early, told.spent);
  settle(early);
  subtract(told.spent, told_);
  settle(told.spent);
  if (claimed.value != 0 && is_new) {
    told.claimed.value =
        std::max<std::int64_t>(0, domain::cost_of(told.spent).value + claimed.value - cost.value);
  }
  seen_ = early;
  told_ = std::move(early);
  call_ = {};
  has_broken_off_ = false;
  deadline_.reset();
  totals_ = frame.totals;
  total_ = frame.result.agent_total;
  result_ = frame.run;
  has_result_ = true;
  return told;
}

void ClaudeSpending::on_reset() {
  totals_.clear();
  total_ = {};
}

}  // namespace engines
