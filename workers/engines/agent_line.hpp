// A line that no engine understands is recorded as it came.
#pragma once

#include "eventlog/domain/session/commands.hpp"

namespace engines {

// The part of such a line that is kept: as much as the content that an event carries inline.
constexpr std::size_t kAgentLineBytesMax = std::size_t{64} * 1024;

// Makes the report of `line`, cut to kAgentLineBytesMax; well-formed UTF-8 stays well-formed.
domain::ReportAgentLine agent_line(domain::LineFault fault, base::ByteView line);

}  // namespace engines
