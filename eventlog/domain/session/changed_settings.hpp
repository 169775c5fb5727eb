// The settings of a session that were changed while it lived.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/types.hpp"

namespace domain {

struct ChangedSettings {
  std::int64_t changes = 0;       // so many times somebody other than the agent changed some
  std::vector<std::string> keys;  // of spec_settings.hpp, each once
  SessionSpec spec;               // has the values of these; the others are its defaults
  // The mode into which the agent itself has changed, as by a plan that was approved. It is one in
  // which it asks people: no word of an agent gives it more than people have.
  std::optional<PermissionMode> agent_mode;

  bool operator==(const ChangedSettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("changes", &ChangedSettings::changes);
    visit("keys", &ChangedSettings::keys);
    visit("spec", &ChangedSettings::spec);
    visit("agent_mode", &ChangedSettings::agent_mode);
  }
};

// Sets one setting of `spec` to its value in `from`. A key of a later release changes nothing.
void change_setting(std::string_view key, const SessionSpec& from, SessionSpec& spec);
// Notes that somebody has given the setting another value.
void note_change(std::string_view key, const SessionSpec& from, ChangedSettings& changed);
// Notes that the agent says it is in that mode.
void note_agent_mode(std::string_view mode, ChangedSettings& changed);
// Gives the spec with which a session was opened the values that it has now.
void apply_changes(const ChangedSettings& changed, SessionSpec& spec);
// Returns the settings among the changed ones that a living agent is told.
std::vector<std::string> settings_to_tell(const ChangedSettings& changed);

}  // namespace domain
