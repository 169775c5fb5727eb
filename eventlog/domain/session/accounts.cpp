// Decides what money that a session spends means to those that share a limit with it: its lineage,
// its agent, and all agents.
#include <algorithm>
#include <optional>

#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

// Returns the agent's running total that the events tell; 0: none does.
NanoUsd total_in(const Decision& decision) {
  NanoUsd total;
  for (const Emitted& emitted : decision) {
    const auto take = [&](NanoUsd told) {
      if (told.value != 0) total = told;
    };
    use_one_of(EndsOfTurns{}, emitted.event, [&](const auto& e) { take(e.cost.agent_total); });
    if (const auto* e = emitted.event.as<SpendingRecorded>()) take(e->agent_total);
  }
  return total;
}

// Returns how the session's cost is known once the events of its own stream are folded.
CostBasis basis_after(const SessionState& s, const Decision& decision) {
  CostBasis basis = s.basis;
  for (const Emitted& emitted : decision) {
    if (!emitted.stream.empty()) continue;
    use_one_of(EndsOfTurns{}, emitted.event,
               [&](const auto& e) { basis = std::max(basis, e.cost.basis); });
    if (const auto* e = emitted.event.as<SpendingRecorded>()) basis = std::max(basis, e->basis);
  }
  return basis;
}

// A lineage to which the session's spending counts.
struct Account {
  std::string stream;
  const LineageState& state;
  NanoUsd budget;  // that it has for the session; 0: none
  bool is_own;     // not that of a session which launched this one
};

// Returns those whose streams the decision reads.
std::vector<Account> accounts_of(const Deciding& d) {
  const SessionState& s = d.session();
  std::vector<Account> accounts;
  if (const LineageState* own = d.lineage()) {
    accounts.push_back({lineage_stream(d.agent(), s.lineage), *own, s.spec.budget, true});
  }
  for (const Payer& payer : *s.payers) {
    const std::string stream = lineage_stream(d.agent(), payer.lineage);
    const auto* state = d.states.find<LineageStream>(stream);
    if (state != nullptr) accounts.push_back({stream, *state, payer.budget, false});
  }
  return accounts;
}

// The session's relatives share its budget, and the running total of the agent's own session. Those
// that launched it share the budget alone.
void tell_spent(Deciding& d, const Account& account) {
  const SessionState& s = d.session();
  const LineageState& all = account.state;
  LineageSpent told{s.session, spent_by(d.decision), {}, {}};
  if (account.is_own) {
    told.agent_session = s.agent_session;
    told.agent_total = total_in(d.decision);
  }
  told.basis = basis_after(s, d.decision);
  const bool is_news =
      told.agent_total.value != 0 && total_of(all, s.agent_session) != told.agent_total;
  if (told.cost.value <= 0 && !is_news && told.basis <= all.basis) return;
  if (!all.has_begun) add_bounded(told.cost.value, s.cost.value);
  d.emit_to<LineageStream>(account.stream, std::move(told));
}

void tell_reservations(Deciding& d, const Account& account) {
  const LineageState& all = account.state;
  const SessionState& s = d.session();
  const bool is_reserved =
      std::any_of(all.reserved.begin(), all.reserved.end(),
                  [&](const Reservation& one) { return one.session == s.session; });
  std::optional<LineageReserved> reserved;
  bool is_freed = false;
  for (const Emitted& emitted : d.decision) {
    if (const auto* granted = emitted.event.as<LeaseGranted>()) {
      reserved = LineageReserved{s.session, account.budget, granted->budget};
      is_freed = false;
    } else if (is_reserved && is_one_of<base::Types<LeaseReleased, LeaseExpired>>(emitted.event)) {
      reserved.reset();
      is_freed = true;
    }
  }
  if (reserved) d.emit_to<LineageStream>(account.stream, *reserved);
  if (is_freed) d.emit_to<LineageStream>(account.stream, LineageFreed{s.session});
}

// True if the decision interrupts what the other session does.
bool is_interrupted(const Decision& decision, const std::string& stream) {
  return std::any_of(decision.begin(), decision.end(), [&](const Emitted& emitted) {
    return emitted.stream == stream && emitted.event.is<InterruptRequested>();
  });
}

// Interrupts what others do whose spending counts to the account, if nothing is left of the budget
// that it has for them.
void interrupt_relatives(Deciding& d, const LineageState& all) {
  const std::int64_t spent = all.spent.value + spent_by(d.decision).value;
  for (const Reservation& at_work : all.reserved) {
    if (at_work.session == d.session().session) continue;
    const std::string stream = session_stream(d.agent(), at_work.session);
    const SessionState* other = d.states.find<SessionStream>(stream);
    if (other == nullptr || !is_live(other->status)) continue;
    if (at_work.budget.value <= 0 || spent < at_work.budget.value) continue;
    if (is_interrupted(d.decision, stream)) continue;
    if (other->turn && !other->turn->is_over_budget) {
      d.emit_to<SessionStream>(stream, InterruptRequested{other->turn->turn, EndReason::budget});
    } else if (!other->turn && other->own_turn.is_set() && other->own_stop == EndReason::none) {
      d.emit_to<SessionStream>(stream, InterruptRequested{other->own_turn, EndReason::budget});
    }
  }
}

// All sessions of the agent share its budgets, and those of all agents one of a day.
void tell_caps(Deciding& d) {
  const NanoUsd spent = spent_by(d.decision);
  const Limits& limits = d.context.limits;
  if (spent.value <= 0) return;
  if (limits.daily_budget.value > 0 || limits.agent_budget.value > 0) {
    NanoUsd total = d.spent_by_agent();
    add_bounded(total.value, spent.value);
    d.emit_to<BudgetStream>(budget_stream(d.agent()),
                            AgentSpent{d.session().session, spent, total});
  }
  if (limits.total_daily_budget.value > 0) {
    d.emit_to<TotalBudgetStream>(std::string(kTotalBudgetStream),
                                 TotalSpent{d.session().session, spent});
  }
}

}  // namespace

Decided accounting(Decided decided, const States& states, const Context& context) {
  // A session that begins has spent nothing.
  if (!decided || states.target<SessionStream>().status == SessionStatus::none) return decided;
  if (states.find<BudgetStream>(budget_stream(context.target.agent)) == nullptr) return decided;
  Deciding d{states, context, std::move(*decided)};
  for (const Account& account : accounts_of(d)) {
    tell_spent(d, account);
    tell_reservations(d, account);
    interrupt_relatives(d, account.state);
  }
  tell_caps(d);
  return std::move(d.decision);
}

}  // namespace domain
