// Measures both parts right after each other, so that a turn sees the disk and the cores as they
// are.
#include "tools/benchmarks/floor.hpp"

#include <fmt/format.h>

namespace benchmarks {

base::Result<Floor> Floor::open(Workbench& bench, const StenoLoad& steno, std::size_t log_bytes) {
  const std::string folder = bench.fresh_folder("floor");
  Floor floor;
  floor.log_bytes_ = log_bytes;
  auto file = AppendFile::create(folder + "/append", log_bytes);
  if (!file) return tl::unexpected(file.error());
  floor.file_ = std::move(*file);
  auto echo = Echo::start(bench.program("steno-bench"), folder, steno.reply_bytes());
  if (!echo) return tl::unexpected(echo.error());
  floor.echo_ = std::move(*echo);
  return floor;
}

base::Result<Nanoseconds> Floor::take_turn(std::size_t count, const StenoLoad& steno) {
  const auto synced = file_->append_for(kTurnMax, count);
  if (!synced) return tl::unexpected(synced.error());
  syncs_.add(*synced);
  const auto echoed = echo_->ask(count, steno.request_bytes());
  if (!echoed) return tl::unexpected(echoed.error());
  echoes_.add(*echoed);
  return synced->p50() + echoed->p50();
}

std::string Floor::sync_text() const {
  return fmt::format("fdatasync after an append of {} B: {}", log_bytes_, p50_and_p99(syncs_));
}

std::string Floor::echo_text(const StenoLoad& steno) const {
  return fmt::format("bare echo of {} B, answered with {} B: {}", steno.request_bytes(),
                     steno.reply_bytes(), p50_and_p99(echoes_));
}

}  // namespace benchmarks
