// The totals of a window of time, counted from the record.
#pragma once

#include <string>

#include "projections/views/metrics.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

// The totals of all that was recorded at `since` or later, and before `until`, both log time.
struct StatsWindow {
  base::Time since;  // 0: from the log's beginning
  base::Time until;
  base::Position from;  // the first and the last of its events; 0: there are none
  base::Position through;
  projections::MetricsReport report;  // `live`: at its end
};

// Which window is asked for, by ages or times as since_of() takes them.
struct WindowWanted {
  std::string agent;  // empty: all
  std::string since;  // empty: from the log's beginning
  std::string until;  // empty: until now
};

// Finds the window's first event in as many steps as the logarithm of the log's length. Then it
// reads the facts of the agent's events from there to the window's end, and no texts. A session
// counts as launched where it was opened, as completed, failed or killed where it ended, and with
// what it spent in the window. Failure: kExitNotFound, the log does not hold all of the window.
Outcome<StatsWindow> read_stats_window(Connection& connection, const WindowWanted& wanted);

}  // namespace steno
