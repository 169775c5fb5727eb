// The archiving of a log's beginning, ended in each of its disk operations in turn. Whatever the
// end, every event is in the log or in an archive that is whole, and the next server takes what was
// begun back, or goes on with it.
#include <cstdio>
#include <filesystem>

#include "eventlog/proof/verify.hpp"
#include "tests/crash/disk_stage.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/environment_number.hpp"

namespace {

using base::Position;
using base::Result;
using crash::End;
using crash::kEnds;
using crash::kSmallBuffer;
using crash::require;
using crash::ServerLife;
using support::PowerLoss;

constexpr std::int64_t kLastArchived = 10;

struct ArchiveStage : crash::DiskStage {
  using DiskStage::DiskStage;
  std::string archive() const { return folder.file("archive"); }
};

// A log that has been written to, closed, and opened again to be archived.
Result<void> archive(ArchiveStage& stage) {
  auto life = ServerLife::begin(stage.root(), stage.disk, kSmallBuffer);
  if (!life) return tl::unexpected(life.error());
  if (auto ok = (*life)->take_over(); !ok) return ok;
  return (*life)->archive(stage.archive());
}

// All events from the first one on, wherever they are.
void check_whole(const ArchiveStage& stage) {
  auto log = eventlog::open_unproved_log(stage.root());
  if (!log) FAIL(base::describe(log.error()));
  if (log->base_error) FAIL(base::describe(*log->base_error));
  if (log->store->first() > Position{1}) {
    const auto beginning = require(eventlog::open_unproved_log(stage.archive()));
    CHECK(beginning.store->tail().next() == log->store->first());
    log = eventlog::open_unproved_log(stage.root(), {stage.archive()});
    if (!log) FAIL(base::describe(log.error()));
  }
  CHECK(log->store->first() == Position{1});
  const auto report = eventlog::verify_log(*log->store, log->head, {}, eventlog::besides_of(*log));
  for (const auto& problem : report.problems) FAIL(problem.text);
  CHECK(report.contents > kLastArchived - 1);
}

// The archive's folder holds a whole archive, or there is no folder.
void check_nothing_left_over(const ArchiveStage& stage) {
  if (!std::filesystem::exists(stage.archive())) return;
  const eventlog::LogFolder archive{stage.archive()};
  CHECK(archive.has_log());
  CHECK_FALSE(std::filesystem::exists(archive.making()));
}

TEST_CASE("wherever archiving ends, every event is in the log or in a whole archive",
          "[.crash][eventlog]") {
  const std::int64_t only = support::environment_number("STENO_CRASH_POINT", 0);
  const std::int64_t step = support::environment_number("STENO_CRASH_STEP", 10);
  std::int64_t points = 0;
  for (const End how : kEnds) {
    // Each kind of end takes other operations, unless all are asked for.
    const std::int64_t first = only > 0 ? only : 1 + static_cast<std::int64_t>(how) % step;
    for (std::int64_t operation = first;; operation += step) {
      ArchiveStage stage(static_cast<std::uint64_t>(operation));
      require(crash::live(stage, 1, kLastArchived, kSmallBuffer));
      stage.disk.crash_at(stage.disk.operations() + operation);
      const auto done = archive(stage);
      INFO("STENO_CRASH_POINT=" << operation << ": " << crash::kEndNames[static_cast<int>(how)]
                                << ", " << stage.disk.fault());
      if (!stage.disk.has_crashed()) {
        require(done);
        check_whole(stage);
        break;
      }
      crash::end(stage, how);
      check_whole(stage);
      {
        const auto life = require(ServerLife::begin(stage.root(), stage.disk, kSmallBuffer));
        require(life->take_over());
        require(life->finish_archive());
        // Everything is where it was, or in the archive: commands are known again.
        require(life->ask(1, kLastArchived, stage.acknowledged));
        require(life->ask(crash::kFirstOpening, crash::kFirstOpening + 1, stage.acknowledged));
      }
      check_whole(stage);
      check_nothing_left_over(stage);
      ++points;
      if (only != 0) break;
    }
  }
  std::printf("{\"campaign\":\"archive_points\",\"points\":%lld,\"violations\":0}\n",
              static_cast<long long>(points));
  std::fflush(stdout);
  // One that is asked for must be there.
  CHECK((only != 0 ? points == std::ssize(kEnds) : points > 600 / step));
}

}  // namespace
