// A prompt that a person writes in an editor.
#pragma once

#include <string>

#include "tools/steno/client/prompt_place.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

// Opens the editor that VISUAL or EDITOR names on a private file that begins with `draft`, waits
// for its end, and returns the file's path. Failure: the editor cannot be run, ends with an error,
// or leaves no text. A text that the editor did leave stays, and the failure says where.
Outcome<std::string> edit_prompt(const std::string& draft);

// Removes the draft, if it is one: its prompt was accepted. What follows can last for long.
void drop_draft(const PromptPlace& place);

// Removes the file of a prompt that was sent; otherwise says where its text is, if it is there yet.
void leave_edited(const std::string& path, bool is_sent);

}  // namespace steno
