// Completes the last word of a command line. Shells ask for it while the line is typed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace steno {

// Returns the option of a command, or of one above it; null: there is none.
const CLI::Option* option_named(const CLI::App& command, const std::string& name);
// Returns the command of that name below another one; null: there is none.
const CLI::App* command_below(const CLI::App& app, const std::string& name);
// Returns the commands below one that the help shows, such as "add" and "rm" of schedule.
std::vector<std::string> commands_of(const CLI::App& app);
// Returns the flags of a command, and of those above it, as they are typed.
std::vector<std::string> flags_of(const CLI::App& command);
// Returns the first word that is neither a flag nor its value; empty: there is none. `words` are
// those behind "steno".
std::string first_word(const CLI::App& app, std::span<const char* const> words);

// The names that a server knows.
enum class KnownNames { sessions, conversations };
using NamesOf = std::function<std::vector<std::string>(KnownNames)>;

// Returns the words that begin as the last one does and can stand in its place: commands, flags, or
// names of the server. Empty: any other word, such as a path. `words` are those behind "steno".
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                     const NamesOf& names_of);

}  // namespace steno
