// The settings of sessions as people write them: "30m", "2.50", "acceptEdits".
#pragma once

#include <string>
#include <string_view>

#include "eventlog/domain/session/spec_settings.hpp"

namespace workers {

// True for a text without control characters.
bool is_one_line(std::string_view text);

// Sets the value that the text stands for. Returns false if it is not accepted. A path is taken as
// it is; whether an engine of that name is there is not looked at.
bool set_setting(const domain::SpecSetting& setting, std::string_view text,
                 domain::SessionSpec& spec);

// Returns the value in the form that set_setting() reads.
std::string setting_text(const domain::SpecSetting& setting, const domain::SessionSpec& spec);

// Returns a spec with the initial value of each setting.
domain::SessionSpec initial_spec();

}  // namespace workers
