// The settings of a session that people say: one row each. From a row come its key in the file, its
// environment variable, its flag, its parameter of operations, their help, and what a session that
// is resumed takes over. A further setting is a field of SessionSpec and a row here.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "eventlog/domain/types.hpp"

namespace domain {

// The place of a setting's value, which tells how it is written: durations with a unit, money in
// dollars, choices by their names.
using SpecMember =
    std::variant<std::string SessionSpec::*, base::Sparse<std::string> SessionSpec::*,
                 base::Duration SessionSpec::*, std::int64_t SessionSpec::*,
                 std::int64_t UseLimits::*, NanoUsd SessionSpec::*, bool SessionSpec::*,
                 PermissionMode SessionSpec::*, BackgroundTasks SessionSpec::*,
                 RestartPolicy SessionSpec::*, Approvals SessionSpec::*,
                 UnansweredAsk SessionSpec::*>;

// The further meaning of a text.
enum class SpecText : std::uint8_t {
  plain,    // one line
  path,     // of a folder
  file,     // path of a file; "none" for empty
  engine,   // the name of one that the server has
  sources,  // as SessionSpec::setting_sources; "all" for empty
};

// How a session that lives takes another value.
enum class SettingChange : std::uint8_t {
  never,         // it is the session's for good
  at_once,       // Steno itself holds the session to it
  told,          // its agent is told, at once or when it is started
  next_process,  // its agent has it from its next process on
};

struct SpecSetting {
  std::string_view key;  // in the file; STENO_<KEY> in the environment, --<key> as a flag
  SpecMember member;
  std::string_view accepted;  // in words; empty: the engines that there are
  std::string_view help;
  std::string_view
      initial;  // its value, as it is written, unless somebody says another; empty: none
  SpecText text = SpecText::plain;
  std::int64_t most = 0;  // of a whole number
  SettingChange change = SettingChange::never;

  // True for what a spec leaves out with 0, and means "no limit" with a value below 0.
  bool is_limit() const;
};

std::span<const SpecSetting> spec_settings();
// Returns null if there is no such setting.
const SpecSetting* find_spec_setting(std::string_view key);

bool has_same_setting(const SpecSetting& setting, const SessionSpec& one, const SessionSpec& other);
// Copies the value of that setting.
void copy_setting(const SpecSetting& setting, const SessionSpec& from, SessionSpec& to);

}  // namespace domain
