// The check of a session's settings, for whoever opens sessions or says how they are to be opened.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eventlog/domain/hook_gap.hpp"
#include "eventlog/domain/rejection.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// Returns why no session can be opened with these settings; none: one can. `engines` are known.
std::optional<Rejection> check_spec(const SessionSpec& spec, std::span<const std::string> engines);

// Returns why hooks forbid a session of the agent with these settings; none: they do not.
std::optional<Rejection> check_hooks(const SessionSpec& spec, std::string_view agent,
                                     std::span<const HookGap> gaps);

// True for a text that names one tool, with at most one restriction of it: "Bash(git log:*)".
bool is_tool_rule(std::string_view text);

// True for a value of SessionSpec::setting_sources: "user,project", "none", or empty for all.
bool is_setting_sources(std::string_view text);

}  // namespace domain
