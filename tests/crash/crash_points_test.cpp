// P1 at every moment: a server's life is run again and again, and ended in each of its disk
// operations in turn. There are three kinds of end. The power fails and everything not synced is
// lost, or it is torn. Or the process is killed, the next one begins on the page cache, and then
// the power fails. After each, the product's own opening finds everything that was acknowledged.
#include <cstdio>

#include "tests/crash/disk_stage.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/environment_number.hpp"

namespace {

using base::Result;
using crash::check_and_go_on;
using crash::End;
using crash::kEnds;
using crash::kSmallBuffer;
using crash::live;
using crash::require;
using crash::ServerLife;
using Stage = crash::DiskStage;
using support::PowerLoss;

constexpr std::int64_t kScriptLast = 31;

// The work until the end: a new log, flushes, compactions, and two restarts.
Result<void> run_script(Stage& stage) {
  if (auto ok = live(stage, 1, 15, kSmallBuffer); !ok) return ok;
  if (auto ok = live(stage, 16, 27, kSmallBuffer); !ok) return ok;
  return live(stage, 28, kScriptLast, kSmallBuffer);
}

// Opens the log as the next server, which dies at once. It may tell others of all that it finds, so
// that much must be there ever after.
Result<void> find_and_tell(Stage& stage) {
  auto life = ServerLife::begin(stage.root(), stage.disk, kSmallBuffer);
  if (!life) return tl::unexpected(life.error());
  stage.told = std::max(stage.told, (*life)->found());
  stage.disk.crash_at(stage.disk.operations() + 1);
  return {};
}

// Applies the end to the disk, then checks the log that is left.
Result<void> end_and_check(Stage& stage, End how) {
  for (const auto& [number, position] : stage.acknowledged) {
    stage.told = std::max(stage.told, position);
  }
  stage.disk.restart();
  if (how == End::is_killed) {
    if (auto ok = find_and_tell(stage); !ok) return ok;
  }
  stage.disk.cut_power(how == End::tears ? PowerLoss::tears : PowerLoss::drops);
  stage.disk.restart();
  return check_and_go_on(stage, kScriptLast);
}

TEST_CASE("whatever disk operation is the last, nothing acknowledged or told is lost",
          "[.crash][eventlog]") {
  const std::int64_t only = support::environment_number("STENO_CRASH_POINT", 0);
  const std::int64_t step = support::environment_number("STENO_CRASH_STEP", 10);
  std::int64_t points = 0;
  for (const End how : kEnds) {
    // Each kind of end uses other operations, unless every operation is tried.
    const std::int64_t first = only > 0 ? only : 1 + static_cast<std::int64_t>(how) % step;
    for (std::int64_t operation = first;; operation += step) {
      Stage stage(static_cast<std::uint64_t>(operation));
      stage.disk.crash_at(operation);
      const auto done = run_script(stage);
      INFO("STENO_CRASH_POINT=" << operation << ": " << crash::kEndNames[static_cast<int>(how)]
                                << ", " << stage.disk.fault());
      if (!stage.disk.has_crashed()) {
        require(done);
        REQUIRE(stage.acknowledged.size() == kScriptLast);
        break;
      }
      require(end_and_check(stage, how));
      ++points;
      if (only != 0) break;
    }
  }
  std::printf("{\"campaign\":\"crash_points\",\"points\":%lld,\"violations\":0}\n",
              static_cast<long long>(points));
  std::fflush(stdout);
  // An operation that was asked for by number must exist.
  CHECK((only != 0 ? points == std::ssize(kEnds) : points > 900 / step));
}

TEST_CASE("a disk that only says that it has synced is found out by the crash points",
          "[.crash][eventlog]") {
  const End how = GENERATE(End::loses_power, End::tears, End::is_killed);
  INFO(crash::kEndNames[static_cast<int>(how)]);
  int found_out = 0;
  for (std::int64_t operation = 200; operation < 220; ++operation) {
    Stage stage(1);
    stage.disk.ignore_syncs();
    stage.disk.crash_at(operation);
    static_cast<void>(run_script(stage));
    REQUIRE(stage.disk.has_crashed());
    REQUIRE_FALSE(stage.acknowledged.empty());
    found_out += end_and_check(stage, how) ? 0 : 1;
  }
  CHECK(found_out == 20);
}

}  // namespace
