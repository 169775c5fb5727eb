// The commands of clients that a schedule names with their share of all commands. Every world has
// prompts and what begins and ends sessions and turns; all other commands about a session, and
// those about schedules and rules, are here.
// A new one is drawn with any values. If it takes more to be accepted now and then, it needs a
// `draw` of its own.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/random.hpp"
#include "eventlog/domain/command.hpp"

namespace simulation {

// The session and the chance that a command is drawn from.
struct Drawing {
  base::Random& random;
  base::StreamVersion version;  // of the session that it is about
  std::string agent;            // of that session
  base::SessionId session;
};

// A schedule names the spawns of subagents by this word. They are made by the client.
constexpr std::string_view kSubagent = "Subagent";

// The types that a schedule can name.
const std::vector<std::string>& named_commands();

// Returns a command of the type, which is one of `named_commands`.
domain::Command draw_named(const std::string& type, const Drawing& from);

}  // namespace simulation
