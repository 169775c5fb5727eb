// Ctrl-C and SIGTERM end a run in good order: what was started is ended, the folder removed.
#pragma once

#include "eventlog/base/result.hpp"

namespace benchmarks {

void take_stop_signals();
bool is_stopped();
// For whoever notices it; the run ends with it.
tl::unexpected<base::Error> stopped();

}  // namespace benchmarks
