// Ctrl-C, SIGTERM and SIGHUP end a run in order: children are ended and the folder is removed.
#pragma once

#include "eventlog/base/result.hpp"

namespace benchmarks {

void take_stop_signals();
bool is_stopped();
// The error for a function that notices the stop; it ends the run.
tl::unexpected<base::Error> stopped();

}  // namespace benchmarks
