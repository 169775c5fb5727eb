// The file of the data folder that says where this server listens: see workers/client/
// server_place.hpp.
#pragma once

#include "tools/steno/serve/signals.hpp"
#include "workers/client/server_place.hpp"

namespace steno {

// Used by one thread, and only while this process holds the lock of the data folder.
class ServedPlace {
 public:
  ServedPlace(std::string data_folder, workers::ServerPlace place)
      : data_folder_(std::move(data_folder)), place_(std::move(place)) {}
  // Removes the file if it was written.
  ~ServedPlace();
  ServedPlace(const ServedPlace&) = delete;
  ServedPlace& operator=(const ServedPlace&) = delete;

  // Writes the file with this phase. Best effort: without it clients look at the default place. A
  // run folder whose path has a line's end is not written.
  void tell(workers::ServerPhase phase);

 private:
  const std::string data_folder_;
  workers::ServerPlace place_;
  bool is_told_ = false;
};

// Waits for a server that has the data folder and is about to end, and says so once. Returns at
// once if none has it, or if the one that has it goes on. Returns false if a signal ends the wait.
bool wait_for_previous(const std::string& data_folder, StopSignals& signals);

}  // namespace steno
