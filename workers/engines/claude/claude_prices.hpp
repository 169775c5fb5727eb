// What Anthropic's models cost. The prices are those that Claude Code computes with, read off its
// own figures (tests/golden/claude-2.1.329, tests/golden/claude-2.1.112).
#pragma once

#include <optional>
#include <string_view>

#include "eventlog/domain/types.hpp"

namespace engines {

// Names the table and the month in which it was last changed.
constexpr std::string_view kClaudePrices = "anthropic 2026-11";

// Returns the list price of that use. A cached token counts as written for five minutes. None: the
// model has no price here. Figures must not be below zero; the result is bounded as the log's
// integers are.
std::optional<base::NanoUsd> claude_price(std::string_view model, const domain::Usage& usage);

}  // namespace engines
