// Asks the previous server's lock again and again, since the end of another process's lock tells
// nobody.
#include "tools/steno/serve/served_place.hpp"

#include <poll.h>
#include <unistd.h>

#include "eventlog/store/disk.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

using workers::ServerPhase;

constexpr int kAskAgainMs = 20;
// A server that was just told to stop says so within its next look at its signals.
constexpr base::Duration kTellMax = std::chrono::seconds(1);
constexpr base::Duration kReserve = std::chrono::seconds(5);  // to close the log

}  // namespace

ServedPlace::~ServedPlace() {
  if (is_told_) ::unlink(workers::server_place_of(data_folder_).c_str());
}

void ServedPlace::tell(workers::ServerPhase phase) {
  if (place_.run_folder.find('\n') != std::string::npos) return;
  place_.phase = phase;
  const std::string path = workers::server_place_of(data_folder_);
  is_told_ |=
      eventlog::write_whole(eventlog::system_disk(), path, workers::encode(place_)).has_value();
}

bool wait_for_previous(const std::string& data_folder, StopSignals& signals) {
  base::SystemClock clock;
  const base::Duration begin = clock.boot();
  base::Duration until = begin + kTellMax;
  bool is_told = false;
  for (;;) {
    const workers::DataHolder holder = workers::data_holder(data_folder);
    if (!holder.is_there()) return true;
    if (holder.place && holder.place->phase == ServerPhase::stopping && !is_told) {
      is_told = true;
      const base::Duration max = holder.place->stop_max;
      until = begin + max + kReserve;
      remark("steno serve: server process " + std::to_string(holder.pid) +
             " is stopping; waiting for its end, for " + exact_duration_text(max) + " at most");
    }
    if (clock.boot() >= until) return true;
    pollfd stop{signals.fd(), POLLIN, 0};
    ::poll(&stop, 1, kAskAgainMs);
    if (signals.take() != 0) return false;
  }
}

}  // namespace steno
