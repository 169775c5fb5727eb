// Prompts from the command line, from files and from stdin.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/prompt_files.hpp"
#include "tools/steno/client/line_input.hpp"
#include "tools/steno/client/prompt_place.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

// Reads at most enough to see that a prompt is too long, since stdin may never end.
std::string read_all(LineInput& input);

// Returns the text of a prompt's file, without line feeds at its end. Reads at most enough to see
// that it is too long. Failure: it cannot be read.
Outcome<std::string> prompt_in_file(const std::string& path);

// Returns the prompt: the text of the place's file, else the argument; "-" is read from stdin.
// Fails for one that the server would refuse. With files it can be empty.
Outcome<std::string> prompt_of(const std::string& argument, const PromptPlace& place,
                               bool has_files = false);

// Reads the files that go with a prompt; "-" is read from stdin, which the prompt is then not.
// Fails for files that the server would refuse.
Outcome<domain::PromptFiles> files_of(const std::vector<std::string>& paths,
                                      const std::string& prompt);

}  // namespace steno
