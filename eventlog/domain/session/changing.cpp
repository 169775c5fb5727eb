// Decides and folds changes of a session's settings.
#include <algorithm>
#include <iterator>

#include "eventlog/domain/session/changed_settings.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

bool is_told(std::string_view key) {
  const SpecSetting* setting = find_spec_setting(key);
  return setting != nullptr && setting->change == SettingChange::told;
}

std::optional<Rejection> check_key(const SessionState& s, const std::string& key) {
  const SpecSetting* setting = find_spec_setting(key);
  if (setting == nullptr) {
    return Rejection{RejectionCode::invalid, "'" + cut_fact(key) + "' is no setting of a session"};
  }
  if (key == "idle_timeout" && !s.spec.is_multi_turn) {
    return Rejection{RejectionCode::invalid, "session " + label(s) +
                                                 " ends with its prompt, and waits for no other: "
                                                 "idle_timeout has no meaning for it"};
  }
  if (setting->change != SettingChange::never) return std::nullopt;
  return Rejection{RejectionCode::invalid, key + " is a session's for good; close session " +
                                               label(s) + " and resume it with another"};
}

}  // namespace

void change_setting(std::string_view key, const SessionSpec& from, SessionSpec& spec) {
  if (const SpecSetting* setting = find_spec_setting(key)) copy_setting(*setting, from, spec);
}

void note_change(std::string_view key, const SessionSpec& from, ChangedSettings& changed) {
  const bool is_known =
      std::find(changed.keys.begin(), changed.keys.end(), key) != changed.keys.end();
  if (!is_known) changed.keys.emplace_back(key);
  change_setting(key, from, changed.spec);
  if (key == "permission_mode") changed.agent_mode.reset();
}

void note_agent_mode(std::string_view mode, ChangedSettings& changed) {
  const auto known = base::parse_enum<PermissionMode>(mode);
  const bool is_asking = known == PermissionMode::plan || known == PermissionMode::ask;
  changed.agent_mode = is_asking ? known : std::nullopt;
}

void apply_changes(const ChangedSettings& changed, SessionSpec& spec) {
  for (const std::string& key : changed.keys) change_setting(key, changed.spec, spec);
  if (changed.agent_mode) spec.permission_mode = *changed.agent_mode;
}

std::vector<std::string> settings_to_tell(const ChangedSettings& changed) {
  std::vector<std::string> told;
  std::copy_if(changed.keys.begin(), changed.keys.end(), std::back_inserter(told), is_told);
  return told;
}

Decided decide_one(Deciding d, const ChangeSettings& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (c.keys.empty()) return reject(RejectionCode::invalid, "name a setting to be changed");
  SettingsChanged changed{s.changed->changes + 1, {}, {}, false};
  SessionSpec spec = s.spec;
  for (const std::string& key : c.keys) {
    if (auto bad = check_key(s, key)) return tl::unexpected(*bad);
    const auto& keys = changed.keys;
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    changed.keys.push_back(key);
    change_setting(key, c.spec, spec);
    change_setting(key, c.spec, changed.spec.edit());
    changed.is_to_tell |= s.lease && s.lease->pid != 0 && is_told(key);
  }
  SessionSpec& said = changed.spec.edit();
  said.approval_timeout = std::max(said.approval_timeout, base::Duration{});
  said.thinking_tokens = std::max<std::int64_t>(said.thinking_tokens, 0);
  if (auto bad = check_spec(spec, d.context.engines)) return tl::unexpected(*bad);
  d.emit(std::move(changed));
  return std::move(d.decision);
}

}  // namespace domain
