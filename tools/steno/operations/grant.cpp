// Compares a spawn with its grant, field by field. The tools of a session are in no row, but in its
// first event.
#include "tools/steno/operations/grant.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "eventlog/domain/session/spec_check.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/operations/opening.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using domain::PermissionMode;
using Words = std::vector<std::string>;

// Returns the settings that nobody said who can have been a model: those of the file, not of this
// process's own flags and variables.
Outcome<Config> settings_of_file(const Config& config) {
  const auto is_bound = [](std::string_view key) {
    return key.starts_with("mcp_") || key == "budget_usd";
  };
  std::map<std::string, std::string> flags;
  for (const Setting& setting : config.settings) {
    if (setting.source == SettingSource::flag && !is_bound(setting.key)) {
      flags[setting.key] = setting.value;
    }
  }
  ConfigInput input = process_input(std::move(flags));
  for (const ConfigKey& key : config_keys()) {
    if (is_bound(key.name)) input.environment.erase(environment_name(key.name));
  }
  auto loaded = load_config(input);
  if (!loaded) return fail(loaded.error());
  return std::move(*loaded);
}

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
    text += (text.empty() ? "" : ", ") + workers::safe_line(word);
  }
  return text.empty() ? "none" : text;
}

// Reads the session's spec as it was opened.
Outcome<domain::SessionSpec> opened_spec(Connection& connection,
                                         const projections::SessionRow& row) {
  auto follower = Follower::open(connection, workers::session_level(row.agent, row.session),
                                 row.opened.plus(-1));
  if (!follower) return tl::unexpected(follower.error());
  WaitFor wanted;
  wanted.until = connection.clock().boot() + connection.config().timeout;
  const auto wake = (*follower)->wait(wanted);
  if (!wake) return tl::unexpected(wake.error());
  if (*wake == Wake::event) {
    const auto seen = workers::see((*follower)->event());
    if (!seen) return fail(seen.error());
    if (const auto* opened = std::get_if<domain::SessionOpened>(&seen->recorded.event)) {
      return *opened->spec;
    }
  }
  return fail(kExitTimeout, "the tools that session " + row.alias + " can use cannot be read");
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

void narrow_to_settings(const Config& config, Grant& grant) {
  if (rank_of(config.mcp_permission_max) < rank_of(grant.mode)) {
    grant.mode = config.mcp_permission_max;
  }
  if (config.budget.value > 0) narrow(grant.budget, config.budget);
  if (!config.mcp_tools.empty()) narrow(grant.tools, config.mcp_tools);
  if (!config.mcp_workdirs.empty()) grant.folders.push_back(config.mcp_workdirs);
}

Outcome<bool> narrow_to_session(Connection& connection, const workers::ShowAnswer& shown,
                                Grant& grant) {
  const projections::SessionRow& row = shown.session;
  grant.launcher = row.alias;
  if (rank_of(row.permission_mode) < rank_of(grant.mode)) grant.mode = row.permission_mode;
  grant.folders.push_back({row.workdir});
  if (row.budget.value > 0) {
    const std::int64_t spent = std::max(row.cost.value, shown.lineage_spent.value);
    narrow(grant.budget, {std::max<std::int64_t>(row.budget.value - spent, 0)});
  }
  auto spec = opened_spec(connection, row);
  if (!spec) return tl::unexpected(spec.error());
  if (row.permission_mode != PermissionMode::bypass_permissions) {
    narrow(grant.tools, spec->allowed_tools);
  }
  grant.bounds = std::move(*spec);
  return true;
}

Outcome<bool> check_tools(const Grant& grant, const Words& tools) {
  if (!grant.tools) return true;
  Words refused = tools;
  std::erase_if(refused, [&](const std::string& tool) { return is_allowed(*grant.tools, tool); });
  if (refused.empty()) return true;
  return fail(kExitRefused, list_text(refused) + (refused.size() == 1 ? " is" : " are") +
                                " not among the tools that " + whose(grant) +
                                " can use without asking; allowed: " + list_text(*grant.tools));
}

Outcome<bool> hold_mode(const Grant& grant, bool is_said, domain::SessionSpec& spec, Words& notes) {
  if (rank_of(spec.permission_mode) <= rank_of(grant.mode)) return true;
  const std::string most(base::enum_name(grant.mode));
  if (is_said) {
    return fail(kExitRefused, std::string(base::enum_name(spec.permission_mode)) +
                                  " is more than " + whose(grant) + " can have; the most is " +
                                  most +
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
    return fail(kExitBudget, "session " + grant.launcher +
                                 " has spent its budget, and what it launches would have none");
  }
  const bool is_within = spec.budget.value > 0 && spec.budget <= *grant.budget;
  if (is_within) return true;
  if (is_said) {
    const std::string wanted =
        spec.budget.value == 0 ? "no limit" : "$" + exact_usd_text(spec.budget);
    return fail(kExitRefused, "a budget of " + wanted + " is more than " + whose(grant) +
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
      refusal_ = Failure{kExitRefused, flag_name(key) + " gives more than " + whose(grant_) +
                                           " can have, which is " + what};
      return;
    }
    value = most;
    notes_.push_back("it has " + what + ", as the session that launches it");
  }

  Outcome<bool> result() const {
    if (refusal_) return tl::unexpected(*refusal_);
    return true;
  }

 private:
  const Grant& grant_;
  const SaidForGrant& said_;
  Words& notes_;
  std::optional<Failure> refusal_;
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

// `before`: of the session that it goes on with, whose values the server takes for what is unsaid.
Outcome<bool> hold_bounds(const Grant& grant, const SaidForGrant& said,
                          const domain::SessionSpec& before, domain::SessionSpec& spec,
                          Words& notes) {
  if (!grant.bounds) return true;
  const domain::SessionSpec& most = *grant.bounds;
  BoundsHolder holder(grant, said, notes);
  std::string sources = spec.setting_sources;
  const std::string& known =
      sources.empty() && !said("setting_sources") ? *before.setting_sources : sources;
  holder.hold("setting_sources", sources, *most.setting_sources,
              reads_no_more(known, *most.setting_sources), *most.setting_sources);
  spec.setting_sources = sources;
  holder.hold("hooks_must_answer", spec.hooks_must_answer, true,
              spec.hooks_must_answer || before.hooks_must_answer || !most.hooks_must_answer,
              "true");
  holder.hold("mcp_must_connect", spec.mcp_must_connect, true,
              spec.mcp_must_connect || before.mcp_must_connect || !most.mcp_must_connect, "true");
  holder.hold("background", spec.background, most.background, spec.background >= most.background,
              std::string(base::enum_name(most.background)));
  domain::UseLimits use = spec.use_limits;
  const auto hold_use = [&](std::string_view key, std::int64_t domain::UseLimits::*limit) {
    const std::int64_t bound = (*most.use_limits).*limit;
    const std::int64_t given = use.*limit == 0 ? (*before.use_limits).*limit : use.*limit;
    holder.hold(key, use.*limit, bound, bound <= 0 || (given > 0 && given <= bound),
                std::to_string(bound));
  };
  hold_use("max_tokens", &domain::UseLimits::max_tokens);
  hold_use("max_tool_calls", &domain::UseLimits::max_tool_calls);
  hold_use("max_output_bytes", &domain::UseLimits::max_output_bytes);
  spec.use_limits = use;
  return holder.result();
}

}  // namespace

bool runs_in_session() {
  return calling_session().is_set();
}

Outcome<Grant> program_grant(Connection& connection) {
  Grant grant;
  narrow_to_settings(connection.config(), grant);
  const auto own = own_session(connection);
  if (!own) return tl::unexpected(own.error());
  // None, or one of another log, whose server this one knows nothing of.
  if (!*own) return grant;
  const auto settings = settings_of_file(connection.config());
  if (!settings) return tl::unexpected(settings.error());
  narrow_to_settings(*settings, grant);
  const auto narrowed = narrow_to_session(connection, **own, grant);
  if (!narrowed) return tl::unexpected(narrowed.error());
  return grant;
}

Outcome<std::vector<std::string>> hold_to(const Grant& grant, const SaidForGrant& said,
                                          Connection& connection,
                                          const projections::SessionRow* resumed,
                                          domain::SessionSpec& spec) {
  std::vector<std::string> notes;
  for (const auto& places : grant.folders) {
    if (is_within(spec.workdir, places)) continue;
    return fail(kExitRefused, workers::safe_line(spec.workdir) + " is no folder that " +
                                  whose(grant) +
                                  " can work in; allowed, with all below: " + list_text(places));
  }
  if (auto ok = hold_mode(grant, said("permission_mode"), spec, notes); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = hold_budget(grant, said("budget_usd"), spec, notes); !ok) {
    return tl::unexpected(ok.error());
  }
  // The server takes over from the resumed session what is not said.
  domain::SessionSpec before;
  if (resumed != nullptr && (grant.tools || grant.bounds)) {
    auto opened = opened_spec(connection, *resumed);
    if (!opened) return tl::unexpected(opened.error());
    before = std::move(*opened);
  }
  if (auto ok = hold_bounds(grant, said, before, spec, notes); !ok) {
    return tl::unexpected(ok.error());
  }
  const auto& tools = spec.allowed_tools->empty() ? before.allowed_tools : spec.allowed_tools;
  if (auto ok = check_tools(grant, *tools); !ok) return tl::unexpected(ok.error());
  return notes;
}

Outcome<std::vector<std::string>> hold_process(Connection& connection,
                                               const projections::SessionRow* resumed,
                                               domain::SessionSpec& spec) {
  if (!runs_in_session()) return std::vector<std::string>();
  const auto grant = program_grant(connection);
  if (!grant) return tl::unexpected(grant.error());
  const Config& config = connection.config();
  const auto said = [&](std::string_view key) { return is_flag(config, key); };
  return hold_to(*grant, said, connection, resumed, spec);
}

Outcome<bool> hold_edited(Connection& connection, domain::SessionSpec& spec) {
  if (!runs_in_session()) return true;
  const auto grant = program_grant(connection);
  if (!grant) return tl::unexpected(grant.error());
  const auto said = [](std::string_view) { return true; };
  const auto held = hold_to(*grant, said, connection, nullptr, spec);
  if (!held) return tl::unexpected(held.error());
  return true;
}

}  // namespace steno
