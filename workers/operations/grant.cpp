// Compares a spawn with its grant, field by field. The tools of a session are in no row, but in its
// first event.
#include "workers/operations/grant.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "workers/json/event_json.hpp"
#include "workers/operations/caller.hpp"
#include "workers/operations/finding.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

using domain::PermissionMode;
using Words = std::vector<std::string>;

int rank_of(PermissionMode mode) {
  switch (mode) {
    case PermissionMode::plan:
      return 0;
    case PermissionMode::ask:
      return 1;
    case PermissionMode::accept_edits:
      return 2;
    case PermissionMode::bypass_permissions:
      return 3;
  }
  return 0;
}

// Returns whose grant it is, for a refusal.
std::string whose(const Grant& grant) {
  return grant.launcher.empty() ? "what programs launch"
                                : "what session " + grant.launcher + " launches";
}

std::string list_text(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + safe_line(word);
  }
  return text.empty() ? "none" : text;
}

// "Bash" allows all calls of that tool, and so also "Bash(git log:*)". A text that is no rule can
// name further tools.
bool is_allowed(const Words& allowed, const std::string& tool) {
  if (!domain::is_tool_rule(tool)) return false;
  const std::string name = tool.substr(0, tool.find('('));
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](const std::string& one) { return one == tool || one == name; });
}

// The tools of both.
void narrow(std::optional<Words>& tools, Words to) {
  if (tools) {
    std::erase_if(to, [&](const std::string& tool) { return !is_allowed(*tools, tool); });
  }
  tools = std::move(to);
}

void narrow(std::optional<base::NanoUsd>& budget, base::NanoUsd to) {
  budget = budget ? std::min(*budget, to) : to;
}

// Links are followed, so that none leads out of a folder.
bool is_within(const std::string& folder, const Words& places) {
  std::error_code ignored;
  const auto real = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(path, ignored).string() + "/";
  };
  const std::string inner = real(folder);
  return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return inner.starts_with(place == "/" ? place : real(place));
  });
}

void narrow_to(const GrantSettings& settings, Grant& grant) {
  if (rank_of(settings.mode) < rank_of(grant.mode)) grant.mode = settings.mode;
  if (settings.budget.value > 0) narrow(grant.budget, settings.budget);
  if (!settings.tools.empty()) narrow(grant.tools, settings.tools);
  if (!settings.workdirs.empty()) grant.folders.push_back(settings.workdirs);
  grant.bounds = settings.session;
}

// `spec`: of the session.
void narrow_to(const ShowAnswer& shown, domain::SessionSpec spec, Grant& grant) {
  const projections::SessionRow& row = shown.session;
  grant.launcher = row.alias;
  if (rank_of(row.permission_mode) < rank_of(grant.mode)) grant.mode = row.permission_mode;
  grant.folders.push_back({row.workdir});
  if (row.budget.value > 0) {
    const std::int64_t spent = std::max(row.cost.value, shown.lineage_spent.value);
    narrow(grant.budget, {std::max<std::int64_t>(row.budget.value - spent, 0)});
  }
  if (row.permission_mode != PermissionMode::bypass_permissions) {
    narrow(grant.tools, spec.allowed_tools);
  }
  grant.bounds = std::move(spec);
}

// "hooks_must_answer" → "--hooks-must-answer", as people say it.
std::string flag_name(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Outcome<bool> check_tools(const Grant& grant, const Words& tools) {
  if (!grant.tools) return true;
  Words refused = tools;
  std::erase_if(refused, [&](const std::string& tool) { return is_allowed(*grant.tools, tool); });
  if (refused.empty()) return true;
  return refuse(OperationError::refused,
                list_text(refused) + (refused.size() == 1 ? " is" : " are") +
                    " not among the tools that " + whose(grant) +
                    " can use without asking; allowed: " + list_text(*grant.tools));
}

Outcome<bool> hold_mode(const Grant& grant, bool is_said, domain::SessionSpec& spec, Words& notes) {
  if (rank_of(spec.permission_mode) <= rank_of(grant.mode)) return true;
  const std::string most(base::enum_name(grant.mode));
  if (is_said) {
    return refuse(OperationError::refused,
                  std::string(base::enum_name(spec.permission_mode)) + " is more than " +
                      whose(grant) + " can have; the most is " + most +
                      (grant.launcher.empty() ? " (setting mcp_permission_max)" : ""));
  }
  spec.permission_mode = grant.mode;
  notes.push_back("it has the permission mode " + most + ", the most that " + whose(grant) +
                  " can have");
  return true;
}

Outcome<bool> hold_budget(const Grant& grant, bool is_said, domain::SessionSpec& spec,
                          Words& notes) {
  if (!grant.budget) return true;
  const std::string most = "$" + exact_usd_text(*grant.budget);
  if (grant.budget->value == 0) {
    return refuse(OperationError::over_budget,
                  "session " + grant.launcher +
                      " has spent its budget, and what it launches would have none");
  }
  const bool is_within = spec.budget.value > 0 && spec.budget <= *grant.budget;
  if (is_within) return true;
  if (is_said) {
    const std::string wanted =
        spec.budget.value == 0 ? "no limit" : "$" + exact_usd_text(spec.budget);
    return refuse(OperationError::refused,
                  "a budget of " + wanted + " is more than " + whose(grant) +
                      " can have; the most is " + most +
                      (grant.launcher.empty() ? " (setting budget_usd)" : ""));
  }
  spec.budget = *grant.budget;
  notes.push_back("its budget is " + most + ", the most that " + whose(grant) + " can have");
  return true;
}

// Holds settings one by one to those of the launching session.
class BoundsHolder {
 public:
  BoundsHolder(const Grant& grant, const SaidForGrant& said, Words& notes)
      : grant_(grant), said_(said), notes_(notes) {}

  // `is_within`: the value is no looser than `most`.
  template <class Value>
  void hold(std::string_view key, Value& value, const Value& most, bool is_within,
            const std::string& most_text) {
    if (is_within || refusal_) return;
    const std::string what = std::string(key) + " " + most_text;
    if (said_(key)) {
      refusal_ =
          Refusal{OperationError::refused, flag_name(key) + " gives more than " + whose(grant_) +
                                               " can have, which is " + what};
      return;
    }
    value = most;
    notes_.push_back(
        "it has " + what +
        (grant_.launcher.empty() ? ", as the settings say" : ", as the session that launches it"));
  }

  Outcome<bool> result() const {
    if (refusal_) return tl::unexpected(*refusal_);
    return true;
  }

 private:
  const Grant& grant_;
  const SaidForGrant& said_;
  Words& notes_;
  std::optional<Refusal> refusal_;
};

// True if the agent reads its settings from no further place. Empty: from all of them.
bool reads_no_more(const std::string& sources, const std::string& most) {
  if (most.empty() || sources == "none" || sources == most) return true;
  if (sources.empty() || most == "none") return false;
  std::istringstream words(sources);
  for (std::string word; std::getline(words, word, ',');) {
    if (("," + most + ",").find("," + word + ",") == std::string::npos) return false;
  }
  return true;
}

// `before`: of the session that it goes on with, if it does (`is_resumed`), whose values the server
// takes for what is unsaid.
Outcome<bool> hold_bounds(const Grant& grant, const SaidForGrant& said,
                          const domain::SessionSpec& before, bool is_resumed,
                          domain::SessionSpec& spec, Words& notes) {
  if (!grant.bounds) return true;
  const domain::SessionSpec& most = *grant.bounds;
  BoundsHolder holder(grant, said, notes);
  std::string sources = spec.setting_sources;
  const std::string& known =
      sources.empty() && !said("setting_sources") ? *before.setting_sources : sources;
  holder.hold("setting_sources", sources, *most.setting_sources,
              reads_no_more(known, *most.setting_sources), *most.setting_sources);
  spec.setting_sources = sources;
  const auto hold_true = [&](std::string_view key, bool domain::SessionSpec::*member) {
    const bool is_kept = !said(key) && before.*member;
    holder.hold(key, spec.*member, true, spec.*member || is_kept || !(most.*member), "true");
  };
  hold_true("hooks_must_answer", &domain::SessionSpec::hooks_must_answer);
  hold_true("mcp_must_connect", &domain::SessionSpec::mcp_must_connect);
  // An agent must not answer what it asks itself, nor what it launches.
  if (is_resumed && !said("unanswered") && before.unanswered > most.unanswered) {
    return refuse(OperationError::refused,
                  "the session answers by itself what its agent asks (unanswered approve), which " +
                      whose(grant) + " cannot have; resume it with --unanswered deny");
  }
  holder.hold("unanswered", spec.unanswered, most.unanswered, spec.unanswered <= most.unanswered,
              std::string(base::enum_name(most.unanswered)));
  const bool is_as_before = is_resumed && !said("unanswered");
  const bool approves = (is_as_before ? before : spec).unanswered == domain::UnansweredAsk::approve;
  const base::Duration wait =
      (is_resumed && !said("approval_timeout") ? before : spec).approval_timeout;
  const bool waits_long =
      wait.count() <= 0 || (most.approval_timeout.count() > 0 && wait >= most.approval_timeout);
  holder.hold("approval_timeout", spec.approval_timeout, most.approval_timeout,
              !approves || waits_long, "as long as that of the session that launches it");
  holder.hold("approvals", spec.approvals, most.approvals, spec.approvals >= most.approvals,
              std::string(base::enum_name(most.approvals)));
  // Another engine can be one that is held less: with a program, a HOME and variables of its own.
  holder.hold("engine", spec.engine, most.engine,
              grant.launcher.empty() || spec.engine == most.engine, most.engine);
  holder.hold("background", spec.background, most.background, spec.background >= most.background,
              std::string(base::enum_name(most.background)));
  // It starts programs, which nobody is asked about.
  const std::string config = spec.mcp_config;
  const bool is_its_own = config.empty() || config == *most.mcp_config;
  const std::string own = most.mcp_config->empty() ? "none" : *most.mcp_config;
  holder.hold("mcp_config", spec.mcp_config, most.mcp_config, is_its_own, own);
  domain::UseLimits use = spec.use_limits;
  const auto hold_use = [&](std::string_view key, std::int64_t domain::UseLimits::*limit) {
    const std::int64_t bound = (*most.use_limits).*limit;
    const bool is_kept = use.*limit == 0 && !said(key);
    const std::int64_t given = is_kept ? (*before.use_limits).*limit : use.*limit;
    holder.hold(key, use.*limit, bound, bound <= 0 || (given > 0 && given <= bound),
                std::to_string(bound));
  };
  hold_use("max_tokens", &domain::UseLimits::max_tokens);
  hold_use("max_tool_calls", &domain::UseLimits::max_tool_calls);
  hold_use("max_output_bytes", &domain::UseLimits::max_output_bytes);
  spec.use_limits = use;
  return holder.result();
}

// A limit that is 0, or below, is none.
bool is_looser(std::int64_t limit, std::int64_t most) {
  return most > 0 && (limit <= 0 || limit > most);
}

std::int64_t number_of(const domain::SpecSetting& setting, const domain::SessionSpec& spec) {
  return std::visit(
      [&]<class Member>(Member member) -> std::int64_t {
        if constexpr (std::same_as<Member, std::int64_t domain::UseLimits::*>) {
          return (*spec.use_limits).*member;
        } else if constexpr (std::same_as<Member, base::Duration domain::SessionSpec::*>) {
          return (spec.*member).count();
        } else if constexpr (std::same_as<Member, base::NanoUsd domain::SessionSpec::*>) {
          return (spec.*member).value;
        } else if constexpr (std::same_as<Member, std::int64_t domain::SessionSpec::*>) {
          return spec.*member;
        } else {
          return 0;
        }
      },
      setting.member);
}

bool gives_more(const domain::SpecSetting& setting, const domain::SessionSpec& most,
                const Words& folders, const domain::SessionSpec& spec) {
  // How long a model thinks costs what the budget holds. A model is not among these: no budget
  // holds for one whose price nobody knows.
  static constexpr std::string_view kHarmless[] = {"thinking_tokens", "remind_after",
                                                   "restart_policy"};
  const std::string_view key = setting.key;
  if (domain::has_same_setting(setting, most, spec)) return false;
  if (std::find(std::begin(kHarmless), std::end(kHarmless), key) != std::end(kHarmless)) {
    return false;
  }
  if (key == "permission_mode")
    return rank_of(spec.permission_mode) > rank_of(most.permission_mode);
  if (key == "approvals") return spec.approvals < most.approvals;
  if (key == "unanswered") return spec.unanswered > most.unanswered;
  if (key == "approval_timeout") return spec.unanswered == domain::UnansweredAsk::approve;
  if (key == "background") return spec.background < most.background;
  if (key == "workdir") return !is_within(spec.workdir, folders);
  if (key == "setting_sources") return !reads_no_more(spec.setting_sources, *most.setting_sources);
  if (key == "mcp_config") return !spec.mcp_config->empty();
  if (const auto* flag = std::get_if<bool domain::SessionSpec::*>(&setting.member)) {
    return !(spec.*(*flag));  // each demands something of the agent
  }
  const bool is_limit =
      setting.is_limit() ||
      std::holds_alternative<base::NanoUsd domain::SessionSpec::*>(setting.member);
  return is_limit ? is_looser(number_of(setting, spec), number_of(setting, most)) : true;
}

}  // namespace

std::vector<std::string_view> given_beyond(const domain::SessionSpec& most, const Words& folders,
                                           const domain::SessionSpec& spec) {
  std::vector<std::string_view> keys;
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    if (gives_more(setting, most, folders, spec)) keys.push_back(setting.key);
  }
  return keys;
}

// The spec with which it was opened is on its first event.
Task<Outcome<domain::SessionSpec>> spec_of(const Caller& caller,
                                           const projections::SessionRow& row) {
  bus::ReadRequest first;
  first.level = session_level(row.agent, row.session);
  first.after = row.opened.plus(-1);
  first.events_max = 1;
  const auto page = co_await caller.server.ask<bus::LogPage>(bus::kReadVerb, first);
  if (!page) co_return tl::unexpected(page.error());
  if (!page->events.empty()) {
    const auto seen = see(page->events.front());
    if (!seen) co_return refuse(seen.error());
    if (const auto* opened = seen->recorded.event.as<domain::SessionOpened>()) {
      domain::SessionSpec spec = opened->spec;
      domain::apply_changes(row.changed, spec);
      co_return spec;
    }
  }
  co_return refuse(OperationError::timeout,
                   "the tools that session " + row.alias + " can use cannot be read");
}

Task<Outcome<Grant>> program_grant(const Caller& caller) {
  Grant grant;
  narrow_to(caller.grant, grant);
  const auto own = co_await own_session(caller);
  if (!own) co_return tl::unexpected(own.error());
  // None, or one of another log, whose server this one knows nothing of.
  if (!*own) co_return grant;
  const auto settings = caller.grant_in_session();
  if (!settings) co_return tl::unexpected(settings.error());
  narrow_to(*settings, grant);
  auto spec = co_await spec_of(caller, (*own)->session);
  if (!spec) co_return tl::unexpected(spec.error());
  narrow_to(**own, std::move(*spec), grant);
  co_return grant;
}

Task<Outcome<Words>> hold_to(const Grant& grant, const SaidForGrant& said, const Caller& caller,
                             const projections::SessionRow* resumed, domain::SessionSpec& spec) {
  Words notes;
  for (const auto& places : grant.folders) {
    if (is_within(spec.workdir, places)) continue;
    co_return refuse(OperationError::refused,
                     safe_line(spec.workdir) + " is no folder that " + whose(grant) +
                         " can work in; allowed, with all below: " + list_text(places));
  }
  if (auto ok = hold_mode(grant, said("permission_mode"), spec, notes); !ok) {
    co_return tl::unexpected(ok.error());
  }
  if (auto ok = hold_budget(grant, said("budget_usd"), spec, notes); !ok) {
    co_return tl::unexpected(ok.error());
  }
  // The server takes over from the resumed session what is not said.
  domain::SessionSpec before;
  if (resumed != nullptr && (grant.tools || grant.bounds)) {
    auto opened = co_await spec_of(caller, *resumed);
    if (!opened) co_return tl::unexpected(opened.error());
    before = std::move(*opened);
  }
  if (auto ok = hold_bounds(grant, said, before, resumed != nullptr, spec, notes); !ok) {
    co_return tl::unexpected(ok.error());
  }
  const auto& tools = spec.allowed_tools->empty() ? before.allowed_tools : spec.allowed_tools;
  if (auto ok = check_tools(grant, *tools); !ok) co_return tl::unexpected(ok.error());
  co_return notes;
}

}  // namespace workers
