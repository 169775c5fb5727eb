// Compares a spawn with its grant, field by field. The tools of a session are in no row, but in its
// first event.
#include "tools/steno/operations/grant.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

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
  if (row.permission_mode == PermissionMode::bypass_permissions) return true;
  const auto spec = opened_spec(connection, row);
  if (!spec) return tl::unexpected(spec.error());
  narrow(grant.tools, spec->allowed_tools);
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
  std::vector<std::string> tools = spec.allowed_tools;
  // The server takes over those of the resumed session.
  if (grant.tools && tools.empty() && resumed != nullptr) {
    const auto before = opened_spec(connection, *resumed);
    if (!before) return tl::unexpected(before.error());
    tools = before->allowed_tools;
  }
  if (auto ok = check_tools(grant, tools); !ok) return tl::unexpected(ok.error());
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
