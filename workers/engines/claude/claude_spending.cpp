// Prices each model's use, and takes off what was told before.
#include "workers/engines/claude/claude_spending.hpp"

#include <algorithm>
#include <utility>

#include "workers/engines/claude/claude_prices.hpp"

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

Spending priced(const std::vector<ModelClaim>& claims) {
  Spending spent;
  for (const ModelClaim& claim : claims) {
    const auto price =
        claim.has_list_price ? claude_price(claim.canonical, claim.usage) : std::nullopt;
    domain::add(spent, {{claim.model, claim.usage, price.value_or(claim.cost)}});
  }
  return spent;
}

NanoUsd claimed_by(const std::vector<ModelClaim>& claims) {
  NanoUsd sum;
  for (const ModelClaim& claim : claims) domain::add_bounded(sum.value, claim.cost.value);
  return sum;
}

}  // namespace

void ClaudeSpending::note(base::Time now) {
  if (!deadline_) deadline_ = now + kSpendingInterval;
}

void ClaudeSpending::see(const std::string& model, const Usage& usage) {
  domain::add(seen_, {{model, usage, claude_price(model, usage).value_or(NanoUsd{})}});
}

void ClaudeSpending::on_call(const ModelCall& call, base::Time now) {
  if (!call_.model.empty()) see(call_.model, call_.usage);
  has_broken_off_ |= is_unfinished();
  call_ = call;
  has_all_usage_ = false;
  ++calls_;
  note(now);
}

void ClaudeSpending::on_call_usage(const CallUsage& usage, base::Time now) {
  if (call_.model.empty()) return;
  call_.usage.output_tokens = usage.usage.output_tokens;
  if (usage.has_input) call_.usage = usage.usage;
  has_all_usage_ = true;
  note(now);
}

void ClaudeSpending::on_subagent_call(const std::string& parent, const ModelCall& call,
                                      base::Time now) {
  const base::Duration since_boot{now.us};
  const std::string* last = subagent_calls_.find(parent, since_boot);
  if (call.model.empty() || (last != nullptr && *last == call.id)) return;
  subagent_calls_.put(parent, call.id, since_boot);
  see(call.model, call.usage);
  ++calls_;
  note(now);
}

Spending ClaudeSpending::take_due(base::Time now) {
  const bool is_due = deadline_ && (*deadline_ <= now || calls_ >= kSpendingCalls);
  return is_due ? take_rest() : Spending{};
}

Spending ClaudeSpending::take_rest() {
  if (!std::exchange(deadline_, std::nullopt)) return {};
  calls_ = 0;
  Spending rest = seen_;
  if (!call_.model.empty()) {
    const NanoUsd price = claude_price(call_.model, call_.usage).value_or(NanoUsd{});
    domain::add(rest, {{call_.model, call_.usage, price}});
  }
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
    spent = {{{}, frame.result.usage, {std::max<std::int64_t>(0, total.value - total_.value)}}};
  } else {
    subtract(spent, priced(totals_));
  }
  settle(spent);
  return spent;
}

ClaudeSpending::Told ClaudeSpending::on_result(const ResultFrame& frame, bool is_shared) {
  Told told;
  told.spent = since_last(frame);
  const NanoUsd cost = domain::cost_of(told.spent);
  const NanoUsd claimed = frame.since ? claimed_by(*frame.since) : NanoUsd{};
  if (frame.since && !has_result_ && !frame.has_odd_figures) {
    told.base.value = std::max<std::int64_t>(0, frame.result.agent_total.value - claimed.value);
  }
  if (is_shared) told.basis = CostBasis::shared;
  const bool is_guessed = frame.is_cut_off || has_broken_off_ || is_unfinished();
  if (!frame.since || is_guessed) told.basis = CostBasis::estimated;
  if (frame.has_odd_figures) told.basis = CostBasis::unknown;
  // A task's call that is under way was told, and the next result counts it.
  Spending early = is_shared ? told_ : Spending{};
  subtract(early, told.spent);
  settle(early);
  subtract(told.spent, told_);
  settle(told.spent);
  if (claimed.value != 0 && !told.spent.empty()) {
    told.claimed.value =
        std::max<std::int64_t>(0, domain::cost_of(told.spent).value + claimed.value - cost.value);
  }
  seen_ = early;
  told_ = std::move(early);
  call_ = {};
  has_broken_off_ = false;
  calls_ = 0;
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
