// Man pages, made of what `steno help` prints.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "tools/steno/text/failure.hpp"

namespace steno {

// Returns the page of a command of `app`, with all commands below it; of `app` itself, that of the
// program. It is ASCII, in the macros of man(7).
std::string man_page(const CLI::App& app, const CLI::App& command);

// Writes steno.1, and steno-COMMAND.1 for each command, into the folder, which is made if it is
// missing. Failure: a page cannot be written.
Outcome<int> write_man_pages(const CLI::App& app, const std::string& folder);

}  // namespace steno
