// What a program, such as an agent, can give to the sessions that it launches: never more than the
// settings allow it, and never more than the session has in which it runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/connection/connection.hpp"

namespace steno {

struct Grant {
  std::string launcher;  // the session in which the caller runs; empty: in none
  domain::PermissionMode mode = domain::PermissionMode::bypass_permissions;  // the most
  std::optional<base::NanoUsd> budget;                                       // none: no limit
  std::optional<std::vector<std::string>> tools;                             // none: all
  // What bounds the launching session beside these: what its agent reads of the folder, what must
  // hold of hooks and servers, what it may use, and work in the background. None: no such session.
  std::optional<domain::SessionSpec> bounds;
  // The working folder must be in or below one of each of these lists.
  std::vector<std::vector<std::string>> folders;
};

// True for the key of a setting that the caller said for a session; the rest of it comes from
// settings or from an older session.
using SaidForGrant = std::function<bool(std::string_view key)>;

// True if this process is the child of a session's agent, by its variable STENO_SESSION.
bool runs_in_session();

// Returns the grant of a program that calls over the connection now.
Outcome<Grant> program_grant(Connection& connection);

// Makes the spec one that the grant allows. What was said beyond it is refused with what is
// allowed; what was not said is lowered to it. `resumed`: the session that it goes on with; null:
// none of the record's. Returns notes on what was lowered.
Outcome<std::vector<std::string>> hold_to(const Grant& grant, const SaidForGrant& said,
                                          Connection& connection,
                                          const projections::SessionRow* resumed,
                                          domain::SessionSpec& spec);

// The same for what this process opens with its own flags, if it runs in a session.
Outcome<std::vector<std::string>> hold_process(Connection& connection,
                                               const projections::SessionRow* resumed,
                                               domain::SessionSpec& spec);

// The same for settings that this process changes and that are kept: whatever is beyond the grant
// is refused, also what somebody else had said.
Outcome<bool> hold_edited(Connection& connection, domain::SessionSpec& spec);

}  // namespace steno
