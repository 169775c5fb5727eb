// Each group is a function that adds its fields; a field without a value is left out.
#include "tools/steno/client/show_text.hpp"

#include <algorithm>

#include "eventlog/domain/session/cost_text.hpp"
#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/connection/silence.hpp"
#include "tools/steno/text/facts_text.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/end_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::cost_text;
using workers::dollars_text;
using workers::safe_line;

std::string counted(std::int64_t count, const std::string& what) {
  return count == 0 ? "" : ", " + std::to_string(count) + " " + what;
}

std::string erasure_text(const projections::Erasure& erasure) {
  return facts_text(domain::ContentErased{erasure.events, {}}) + ", " +
         std::string(base::enum_name(erasure.reason)) + " " + short_time_text(erasure.at) + " by " +
         erasure.actor + (erasure.completed_at.us == 0 ? ", not yet from all files" : "");
}

// Returns what keeps a session's cost from being exact; empty: nothing does.
std::string doubts_text(const SessionRow& row) {
  std::string text;
  switch (row.cost_basis) {
    case domain::CostBasis::totals:
    case domain::CostBasis::reported:
    case domain::CostBasis::shared:
      break;
    case domain::CostBasis::estimated:
      text = ", a part is an estimate";
      break;
    case domain::CostBasis::at_least:
      text = ", at least: an agent ended before it told all";
      break;
    case domain::CostBasis::unknown:
      text = row.is_unpriced
                 ? ", its model has no price that is known (prices_file)"
                 : ", not all known: spent outside Steno, without a price, or cannot be right";
      break;
  }
  constexpr std::int64_t kWorthTelling = 1'000'000;  // a tenth of a cent
  if (std::abs(row.disputed.value) < kWorthTelling) return text;
  const bool is_more = row.disputed.value > 0;
  return text + "; the agent itself says " + dollars_text({std::abs(row.disputed.value)}) +
         (is_more ? " more" : " less");
}

// Returns what a session's budget is, and what its lineage has left of it; empty: it has none.
std::string budget_text(const workers::ShowAnswer& answer) {
  const SessionRow& row = answer.session;
  if (row.budget.value == 0) return {};
  const base::NanoUsd spent = std::max(row.cost, answer.lineage_spent);
  const domain::CostBasis basis = std::max(row.cost_basis, answer.lineage_basis);
  const bool is_exact = !domain::is_lower_bound(basis);
  const base::NanoUsd left{std::max<std::int64_t>(0, row.budget.value - spent.value)};
  const std::string rest = (is_exact ? "" : "≤ ") + dollars_text(left);
  std::string what = ", left " + rest;
  if (is_at_work(row)) what = ", reserved for the turn under way " + rest;
  if (answer.lineage_at_work > 1) {
    what = ", left " + rest + " for the " + std::to_string(answer.lineage_at_work) +
           " that are at work";
  }
  return dollars_text(row.budget) + ", spent " + domain::cost_text(spent, basis) +
         (answer.lineage_spent.value > 0 ? " with its resumes, its forks and what they launched"
                                         : "") +
         what;
}

// Returns the budgets of the sessions by which the session was launched; empty: there are none.
std::string payers_text(const workers::ShowAnswer& answer) {
  std::string text;
  for (const workers::PayerShown& payer : answer.payers) {
    text += (text.empty() ? "" : "; ") + dollars_text(payer.budget) + " of " + payer.first +
            ", spent " + domain::cost_text(payer.spent, payer.basis);
  }
  return text;
}

// Returns the limits of time and repetition that hold for the session; empty: there are none.
std::string limits_text(const SessionRow& row) {
  std::string text;
  const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : ", ") + limit; };
  if (row.idle_timeout.count() > 0) {
    add("killed if it waits " + exact_duration_text(row.idle_timeout) + " for a prompt");
  }
  if (row.run_timeout.count() > 0) {
    add("a turn ends after " + exact_duration_text(row.run_timeout));
  }
  if (row.approval_timeout.count() > 0) {
    add(std::string("what it asks is ") +
        (row.unanswered == domain::UnansweredAsk::approve ? "approved" : "denied") + " after " +
        exact_duration_text(row.approval_timeout));
  }
  if (row.repeated_calls_max > 0) {
    add(std::to_string(row.repeated_calls_max) + " identical tool calls in a row are told");
  }
  const auto add_most = [&](std::int64_t most, const char* what) {
    if (most > 0) add("at most " + std::to_string(most) + " " + what);
  };
  add_most(row.use_limits.max_tokens, "tokens");
  add_most(row.use_limits.max_tool_calls, "tool calls");
  add_most(row.use_limits.max_output_bytes, "bytes of output");
  return text;
}

// Returns where a resumed session goes on, behind the id of the one that it resumes.
std::string place_text(const SessionRow& row) {
  switch (row.resumed_at) {
    case domain::ResumedAt::end:
    case domain::ResumedAt::record:
      return row.is_fork ? " (forked)" : "";
    case domain::ResumedAt::message:
      return " (at its last message, in a copy of the agent's session)";
    case domain::ResumedAt::latest:
      return " (behind what others have added to the agent's session)";
  }
  return {};
}

// Returns what the session is for; empty: nobody said.
std::string descriptor_text(const domain::Descriptor& descriptor, const std::string& parent) {
  switch (descriptor.kind) {
    case domain::DescriptorKind::none:
      return {};
    case domain::DescriptorKind::user:
      return "user " + descriptor.user + " on " + descriptor.connector + ", " + descriptor.channel;
    case domain::DescriptorKind::cron:
      return "a run of the schedule " + descriptor.task;
    case domain::DescriptorKind::heartbeat:
      return "the runs of the schedule " + descriptor.task;
    case domain::DescriptorKind::subagent:
      return "its parent " + parent;
  }
  return {};
}

void add_identity(const workers::ShowAnswer& answer, const Relatives& relatives, Fields& fields) {
  const SessionRow& row = answer.session;
  fields.begin("THE SESSION");
  fields.add("session", row.session.text());
  fields.add("alias", row.alias);
  fields.add("name", row.name);
  fields.add("agent", row.agent);
  fields.add("kind", row.is_multi_turn ? "multi-turn" : "single-turn");
  fields.add("for", descriptor_text(row.descriptor, relatives.parent));
  fields.add("labels", workers::labels_text(row));
  fields.add("workdir", row.workdir);
  fields.add("opened", short_time_text(row.created_at));
  fields.add("closed", row.closed_at.us == 0 ? "" : short_time_text(row.closed_at));
  fields.add("resumed from",
             !row.resumed_from.is_set() ? "" : relatives.resumed_from + place_text(row));
  const bool is_told = row.resumed_at == domain::ResumedAt::record;
  const bool has_record = row.resumed_from.is_set() || row.turns_finished > 0;
  fields.add("conversation",
             !is_told     ? ""
             : has_record ? "the agent has lost its transcript, and was told what the record holds"
                          : "the agent knew nothing of it, and has begun a new one");
  if (row.shared_at.value > 0) {
    fields.add("shared",
               "⚠ others have gone on with the agent's session; what they said is not in "
               "this conversation (steno output " +
                   row.alias + " --all)");
  }
}

void add_present(const workers::ShowAnswer& answer, base::Time now, Fields& fields) {
  const SessionRow& row = answer.session;
  fields.begin("NOW");
  fields.add("status", workers::status_text(row));
  fields.add("idle", workers::idle_end_text(row, now));
  if (row.is_parked) {
    fields.add("parked",
               "its agent process was ended, so that it takes no place of max_sessions; "
               "the next prompt starts the agent again");
  }
  fields.add("ran", workers::ran_text(row, now));
  if (row.tasks > 0 && !row.turn.is_set()) {
    fields.add("background",
               tasks_text(row.tasks) + ", then " +
                   (row.is_close_requested || !row.is_multi_turn ? "it is completed"
                                                                 : "it waits for a prompt"));
  }
  if (row.tasks_lost > 0) {
    fields.add("lost", tasks_text(row.tasks_lost) + " in the background ended with the agent");
  }
  if (row.pause == domain::EndReason::deferred) {
    fields.add("paused", "its agent waits without a process; the answer starts one that goes on");
  } else if (row.pause != domain::EndReason::none) {
    const bool is_for_day = row.pause == domain::EndReason::daily_budget;
    const bool is_for_agent = row.pause == domain::EndReason::agent_budget;
    const bool is_for_place = row.pause == domain::EndReason::session_limit;
    const std::string end = is_for_day                 ? "00:00 UTC"
                            : is_for_place             ? "a place is free (max_sessions), or "
                            : is_for_agent             ? "agent_budget_usd is larger, then "
                            : row.paused_until.us != 0 ? short_time_text(row.paused_until) + ", or "
                                                       : std::string();
    fields.add("paused", std::string(base::enum_name(row.pause)) + ": prompts wait until " + end +
                             (is_for_day     ? ""
                              : is_for_place ? "another session is closed or killed"
                                             : "steno continue " + row.alias));
  }
  fields.add("reason", safe_line(answer.failure));
  fields.add("turn", row.turn.is_set() ? row.turn.text() : "");
  if (row.own_turn.is_set()) fields.add("own turn", row.own_turn.text());
  fields.add("agent", silence_text(row, now));
  const std::string hooks = hook_wait_text(row, now);
  fields.add("hooks", hooks.empty() ? hooks : hooks + " (steno hooks ls)");
  if (row.attention != domain::Attention::none) {
    fields.add("needs you", attention_text(row) + " since " +
                                duration_text(now - row.attention_since) + ": " +
                                attention_command(row, row.agent));
  }
  fields.add("denied", safe_line(workers::denied_text(row.denied, row.denied_tools)));
  for (const std::string& server : row.mcp_broken) {
    fields.add("MCP", "⚠ " + safe_line(workers::mcp_text({server})));
  }
  std::string channels;
  for (const std::string& channel : row.foreground) {
    channels += (channels.empty() ? "" : ", ") + channel;
  }
  fields.add("foreground", channels);
  fields.add("INCONSISTENT", row.inconsistent.value == 0
                                 ? ""
                                 : "since position " + std::to_string(row.inconsistent.value) +
                                       "; it can only be killed or exported");
}

void add_money(const workers::ShowAnswer& answer, Fields& fields) {
  const SessionRow& row = answer.session;
  fields.begin("LIMITS AND MONEY");
  fields.add("limits", limits_text(row));
  fields.add("cost", cost_text(row) + doubts_text(row));
  fields.add("budget", budget_text(answer));
  fields.add("counts to", payers_text(answer));
  fields.add("tokens", std::to_string(row.usage.input_tokens) + " in, " +
                           std::to_string(row.usage.output_tokens) + " out, " +
                           std::to_string(row.usage.cache_read_tokens) + " from cache");
  if (row.compactions > 0) fields.add("compactions", std::to_string(row.compactions));
  if (row.day_over.us != 0 && row.pause == domain::EndReason::none) {
    fields.add("budget of day", "spent; prompts are started from " + short_time_text(row.day_over));
  }
}

void add_turns(const SessionRow& row, Fields& fields) {
  fields.begin("TURNS");
  fields.add("turns", std::to_string(row.turns_queued) + " in all, " +
                          std::to_string(row.turns_finished) + " finished" +
                          counted(row.turns_failed, "failed") +
                          counted(row.turns_interrupted, "interrupted") +
                          counted(row.own_turns, "of the agent's own") +
                          counted(row.turns_waiting, "waiting"));
  fields.add("output", std::to_string(row.output_blocks) + " blocks, " +
                           std::to_string(row.tool_calls) + " tool calls");
}

void add_settings(const SessionRow& row, const std::vector<std::string>& not_asked,
                  Fields& fields) {
  fields.begin("SETTINGS");
  fields.add("engine", row.engine);
  fields.add("model", row.agent_model.empty() ? row.model : row.agent_model);
  fields.add("permissions", std::string(base::enum_name(row.permission_mode)));
  for (const std::string& hook : not_asked) fields.add("hook", safe_line(hook));
}

void add_process(const SessionRow& row, Fields& fields) {
  fields.begin("PROCESS AND RECORD");
  fields.add("agent session", row.agent_session);
  fields.add("pid", row.pid == 0 ? "" : std::to_string(row.pid));
  fields.add("positions",
             std::to_string(row.opened.value) + " to " + std::to_string(row.last_position.value));
}

void add_texts(const workers::ShowAnswer& answer, Fields& fields) {
  const SessionRow& row = answer.session;
  fields.begin("TEXTS");
  const bool is_prompt_gone = answer.prompt.empty() && row.prompt_bytes > 0;
  const std::string_view gone = !answer.archived.empty()       ? "[archived]"
                                : !answer.prompt_error.empty() ? "[unreadable]"
                                                               : "[erased]";
  fields.add("prompt", is_prompt_gone ? std::string(gone) : answer.prompt);
  fields.add("with files", safe_line(domain::files_text(answer.prompt_files)));
  fields.add("system prompt", answer.system_prompt);
  fields.add("archived", answer.archived);
  fields.add("PROMPT UNREADABLE", answer.prompt_error);
  fields.add("SYSTEM PROMPT UNREADABLE", answer.system_prompt_error);
  for (const projections::Erasure& erasure : answer.erasures) {
    fields.add("erased", erasure_text(erasure));
  }
}

}  // namespace

std::string show_text(const workers::ShowAnswer& answer, const Relatives& relatives,
                      const std::vector<std::string>& hooks_not_asked, base::Time now,
                      bool has_color) {
  Fields fields;
  add_identity(answer, relatives, fields);
  add_present(answer, now, fields);
  add_money(answer, fields);
  add_turns(answer.session, fields);
  add_settings(answer.session, hooks_not_asked, fields);
  add_process(answer.session, fields);
  add_texts(answer, fields);
  return fields.text(has_color);
}

}  // namespace steno
