// Words for what the parser refuses, where its own say too little.
#pragma once

#include <span>
#include <string>

#include "tools/steno/command_line/parts.hpp"

namespace steno {

// Returns what is wrong with the options of `command`; `words` are those of the command line.
std::string parser_words(const CLI::App& command, const CLI::ParseError& error,
                         std::span<const char* const> words);

}  // namespace steno
