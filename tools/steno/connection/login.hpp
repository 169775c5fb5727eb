// An agent that is not logged in: how it shows, and what helps. The agent's own words ("/login")
// mean its own terminal, which it does not have here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workers/protocol/status.hpp"

namespace steno {

// True if a turn that failed with these words of the agent needs a login or another key.
bool is_login_failure(std::string_view text, std::int64_t api_status);

// Returns the command by which the server's user logs in: "HOME=/home/ann claude". Facts of an
// older server are empty; then it has no HOME.
std::string login_command(const workers::ServerFacts& facts);

// Returns what to do, as part of a sentence.
std::string login_advice(const workers::ServerFacts& facts);

// True if the server's agents have neither a key nor a login that can be seen.
bool lacks_login(const workers::ServerFacts& facts);

}  // namespace steno
