// Words for what a session needs a person for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projections/views/session_list.hpp"

namespace steno {

// Returns what the session needs a person for; empty: it needs none, or a person knows.
std::string attention_text(const projections::SessionRow& row);

// Returns the command that a person would give next, for a client of `agent`; empty: the session
// needs nobody.
std::string attention_command(const projections::SessionRow& row, std::string_view agent);

// Returns " --allow-tool Bash --allow-tool Write", for a command that grants these tools.
std::string allow_flags(const std::vector<std::string>& tools);
// True if no permission helps such a call of Claude Code: it waits for the answer of a person.
bool needs_answer(std::string_view tool);

// Returns the reason in words where its name alone says too little; else its name.
std::string reason_text(domain::EndReason reason);

}  // namespace steno
