// A hook that sessions need, and that the agents of an engine cannot be asked for.
#pragma once

#include <string>

namespace domain {

struct HookGap {
  std::string hook;
  std::string agent;   // whose sessions need it; empty: all agents'
  std::string engine;  // whose agents cannot be asked
  std::string points;  // the names of the points at which they cannot
};

}  // namespace domain
