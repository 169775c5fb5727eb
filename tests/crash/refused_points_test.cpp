// A start that refuses the log for a reason that can be mended, ended in each of its disk
// operations in turn. Once the reason is mended, the next start finds the whole log.
#include <cstdio>

#include "eventlog/store/head_file.hpp"
#include "tests/crash/disk_stage.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/environment_number.hpp"

namespace {

using base::Result;
using crash::End;
using crash::kEnds;
using crash::kSmallBuffer;
using crash::require;

constexpr std::int64_t kLastOfRefused = 14;

void write_head(crash::DiskStage& stage, const eventlog::Checkpoint& head) {
  const eventlog::LogFolder folder{stage.root()};
  {
    const auto file = require(eventlog::open_head_file(folder.head(), stage.disk));
    require(file->write(head));
  }
  require(stage.disk.settle(folder.head()));
}

eventlog::Checkpoint head_of(const crash::DiskStage& stage) {
  return *require(eventlog::read_head_file(eventlog::LogFolder{stage.root()}.head()));
}

Result<void> refuse(crash::DiskStage& stage) {
  auto life = crash::ServerLife::begin(stage.root(), stage.disk, kSmallBuffer);
  if (!life) return tl::unexpected(life.error());
  return {};
}

TEST_CASE("wherever a start that refuses the log ends, the log opens once that is mended",
          "[.crash][eventlog][C28]") {
  const std::int64_t only = support::environment_number("STENO_CRASH_POINT", 0);
  const std::int64_t step = support::environment_number("STENO_CRASH_STEP", 2);
  std::int64_t points = 0;
  for (const End how : kEnds) {
    const std::int64_t first = only > 0 ? only : 1 + static_cast<std::int64_t>(how) % step;
    for (std::int64_t operation = first;; operation += step) {
      crash::DiskStage stage(static_cast<std::uint64_t>(operation));
      require(crash::live(stage, 1, kLastOfRefused, kSmallBuffer));
      const auto head = head_of(stage);
      auto ahead = head;
      ahead.position = head.position.next();
      write_head(stage, ahead);
      stage.disk.crash_at(stage.disk.operations() + operation);
      const auto refused = refuse(stage);
      INFO("STENO_CRASH_POINT=" << operation << ": " << crash::kEndNames[static_cast<int>(how)]
                                << ", " << stage.disk.fault());
      REQUIRE_FALSE(refused);
      const bool is_through = !stage.disk.has_crashed();
      if (!is_through) crash::end(stage, how);
      stage.disk.restart();
      CHECK_FALSE(refuse(stage));
      write_head(stage, head);
      require(crash::check_and_go_on(stage, kLastOfRefused));
      if (is_through) break;
      ++points;
      if (only != 0) break;
    }
  }
  std::printf("{\"campaign\":\"refused_points\",\"points\":%lld,\"violations\":0}\n",
              static_cast<long long>(points));
  std::fflush(stdout);
  CHECK((only != 0 ? points == std::ssize(kEnds) : points > 60 / step));
}

}  // namespace
