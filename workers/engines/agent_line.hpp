// A line that no engine understands goes on the record as it came.
#pragma once

#include "eventlog/domain/session/commands.hpp"

namespace engines {

// What is kept of such a line. The same as the content that an event carries inline.
constexpr std::size_t kAgentLineBytesMax = std::size_t{64} * 1024;

// `line` may be longer than what is kept; well-formed UTF-8 stays well-formed when it is cut.
domain::ReportAgentLine agent_line(domain::LineFault fault, base::ByteView line);

}  // namespace engines
