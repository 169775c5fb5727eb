// How a program is started, and how its output is cut: what an engine says of its agent, and what
// every AgentProcess is made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace processes {

// The parts of stdout that are handed on as one frame each.
enum class Framing {
  lines,    // a line without its line feed; empty ones are left out
  headers,  // the body behind a header with its Content-Length, as in the Language Server Protocol
  raw,      // whatever comes, in portions of any size
};

// In characters.
struct TerminalSize {
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;

  bool operator==(const TerminalSize&) const = default;
};

struct LaunchPlan {
  std::vector<std::string> argv;         // the program, searched in the PATH of its environment
  std::vector<std::string> environment;  // all of it, "NAME=value"; nothing is inherited
  Framing framing = Framing::lines;
  // Set: stdin, stdout and stderr are a terminal of this size, which controls the program. What is
  // written is echoed, lines end with CR LF, a control character is a signal, and a line of more
  // than 4,095 bytes loses its end, until the program sets its terminal otherwise.
  std::optional<TerminalSize> terminal{};

  bool operator==(const LaunchPlan&) const = default;
};

}  // namespace processes
