// What a durable command cannot do without: one fdatasync after an append of as many bytes as it
// adds to the write-ahead log, and one bare round trip between two processes.
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

  // So many of both, one after another. The p50 of the one plus that of the other.
  base::Result<Nanoseconds> take_turn(std::size_t count, const StenoLoad& steno);
  // The same of all turns together.
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
