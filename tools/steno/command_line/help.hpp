// What `steno --help` and `steno help` print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/steno/text/failure.hpp"

namespace steno {

// The groups of settings. `steno --help` leaves the second one to `steno help settings`.
inline constexpr const char* kCommonGroup = "Common settings";
inline constexpr const char* kSettingsGroup = "Settings";

// Sets how a program's own help looks; call it before commands are added.
void set_help(CLI::App& app);

// The exit codes, a line each: a number, then its meaning.
std::string_view exit_codes_text();
// How settings can be given.
std::string_view settings_intro();

// Returns the help of a command, such as {"schedule", "add"}, or of a topic: "settings" or
// "exit-codes". No words: of the program. Words that mean neither are a Failure with kExitUsage.
Outcome<std::string> help_about(const CLI::App& app, const std::vector<std::string>& words);
// Returns the man page that has this command; no words: the program's.
Outcome<std::string> man_about(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace steno
