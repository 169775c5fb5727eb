// The unavoidable cost of a durable command: one fdatasync and one bare round trip between two
// processes. The fdatasync follows an append of as many bytes as a command adds to the write-ahead
// log.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmarks/append_file.hpp"
#include "tools/benchmarks/echo.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {

class Floor {
 public:
  static base::Result<Floor> open(Workbench& bench, const StenoLoad& steno, std::size_t log_bytes);

  // Runs this many of both, one after another. Returns the sum of the two p50.
  base::Result<Nanoseconds> take_turn(std::size_t count, const StenoLoad& steno);
  // Returns the same over all turns.
  Nanoseconds p50() const { return syncs_.p50() + echoes_.p50(); }

  // "fdatasync after an append of 430 B: p50 …", "bare echo of 162 B, answered with 85 B: p50 …"
  std::string sync_text() const;
  std::string echo_text(const StenoLoad& steno) const;

 private:
  std::size_t log_bytes_ = 0;
  std::unique_ptr<AppendFile> file_;
  std::unique_ptr<Echo> echo_;
  Latencies syncs_;
  Latencies echoes_;
};

}  // namespace benchmarks
