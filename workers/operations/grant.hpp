// The most that a program, such as an agent, can give to the sessions that it launches: never more
// than the settings allow it, and never more than the session has in which it runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/views/session_list.hpp"
#include "workers/client/refusal.hpp"
#include "workers/client/task.hpp"

namespace workers {

struct Caller;

// The bounds that settings set.
struct GrantSettings {
  domain::PermissionMode mode = domain::PermissionMode::bypass_permissions;  // the most
  base::NanoUsd budget{};                                                    // 0: no limit
  std::vector<std::string> tools{};                                          // empty: all
  std::vector<std::string> workdirs{};  // folders, with all that is below; empty: any
  domain::SessionSpec session{};        // what a session has of which nobody says anything
  bool approves = false;                // it can approve what agents ask
};

struct Grant {
  std::string launcher;  // the session in which the caller runs; empty: in none
  domain::PermissionMode mode = domain::PermissionMode::bypass_permissions;  // the most
  std::optional<base::NanoUsd> budget;                                       // none: no limit
  std::optional<std::vector<std::string>> tools;                             // none: all
  // The launching session's spec, else that of the settings. Its further settings bound the new
  // one: engine, sources of settings, hooks, MCP servers, limits of use, work in the background.
  std::optional<domain::SessionSpec> bounds;
  // The working folder must be in or below one of each of these lists.
  std::vector<std::vector<std::string>> folders;
};

// Returns the session's spec as it is now.
Task<Outcome<domain::SessionSpec>> spec_of(const Caller& caller,
                                           const projections::SessionRow& row);

// True for the key of a setting that the caller said for a session; the rest of it comes from
// settings or from an older session.
using SaidForGrant = std::function<bool(std::string_view key)>;

// Returns the grant of a program that calls now.
Task<Outcome<Grant>> program_grant(const Caller& caller);

// Makes the spec one that the grant allows. What was said beyond it is refused with what is
// allowed; what was not said is lowered to it. `resumed`: the session that it goes on with; null:
// none of the record's. Returns notes on what was lowered. All of them outlive the task.
Task<Outcome<std::vector<std::string>>> hold_to(const Grant& grant, const SaidForGrant& said,
                                                const Caller& caller,
                                                const projections::SessionRow* resumed,
                                                domain::SessionSpec& spec);

// Returns the keys of the settings in which `spec` gives a session more than `most` does: what it
// may do, what it runs, how long and at what cost. Any other model counts, and any other setting
// but the few that are known to be harmless. It can work in the folders, and below.
std::vector<std::string_view> given_beyond(const domain::SessionSpec& most,
                                           const std::vector<std::string>& folders,
                                           const domain::SessionSpec& spec);

}  // namespace workers
