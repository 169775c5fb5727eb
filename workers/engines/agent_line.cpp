// The cut moves back to the start of a UTF-8 character.
#include "workers/engines/agent_line.hpp"

#include <algorithm>

namespace engines {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

domain::ReportAgentLine agent_line(domain::LineFault fault, base::ByteView line) {
  std::size_t size = std::min(line.size(), kAgentLineBytesMax);
  // A character has at most three continuation bytes; more of them is not UTF-8 anyway.
  for (int step = 0; step < 3 && size < line.size() && is_continuation(line[size]); ++step) --size;
  return {fault, static_cast<std::int64_t>(line.size()), std::string(line.substr(0, size))};
}

}  // namespace engines
