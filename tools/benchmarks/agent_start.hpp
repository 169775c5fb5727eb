// The bytes that `steno-bench-agent` writes, in one piece, when it begins.
#pragma once

#include <cstdint>

namespace benchmarks {

constexpr char kAgentStartFifo[] = "started";

struct AgentStart {
  std::int64_t at_ns = 0;  // on the clock of now()
  std::int64_t pid = 0;    // also that of the agent that it becomes
};

}  // namespace benchmarks
