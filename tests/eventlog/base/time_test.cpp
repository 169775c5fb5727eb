// Log time never decreases. It follows the boot clock and is drawn slowly to wall time.
#include "eventlog/base/time.hpp"

#include "tests/support/catch.hpp"

namespace {

using base::Duration;
using base::Time;

constexpr std::int64_t kSecond = 1'000'000;

// A clock whose two hands the test sets.
struct HandClock final : base::Clock {
  Duration boot() override { return boot_at; }
  Time wall() override { return wall_at; }
  void pass(std::int64_t us) {
    boot_at += Duration{us};
    wall_at = wall_at + Duration{us};
  }
  Duration boot_at{5};
  Time wall_at{1'700'000'000 * kSecond};
};

TEST_CASE("log time begins at wall time, or at the log's last event if that is later", "[base]") {
  HandClock clock;
  CHECK(base::LogClock(clock, {}).now() == clock.wall_at);
  const Time later = clock.wall_at + Duration{kSecond};
  CHECK(base::LogClock(clock, later).now() == later);
}

TEST_CASE("log time advances with the clock that never jumps", "[base]") {
  HandClock clock;
  base::LogClock log(clock, {});
  const Time start = log.now();
  clock.pass(3 * kSecond);
  CHECK(log.now() == start + Duration{3 * kSecond});
  CHECK(log.now() == start + Duration{3 * kSecond});
}

TEST_CASE("log time never decreases, whatever wall time does", "[base]") {
  HandClock clock;
  base::LogClock log(clock, {});
  Time last = log.now();
  for (int i = 0; i < 10'000; ++i) {
    clock.pass(i % 5000);
    if (i % 100 == 7) clock.wall_at.us -= 3600 * kSecond;
    if (i % 100 == 57) clock.wall_at.us += 3000 * kSecond;
    const Time now = log.now();
    REQUIRE(now >= last);
    last = now;
  }
}

// Returns how far log time has moved towards a wall time that jumped by `jump`, in microseconds,
// when `seconds` have passed in steps of `step_us`.
std::int64_t drawn(std::int64_t jump, std::int64_t seconds, std::int64_t step_us) {
  HandClock clock;
  base::LogClock log(clock, {});
  const Time start = log.now();
  clock.wall_at.us += jump;
  for (std::int64_t passed = 0; passed < seconds * kSecond; passed += step_us) {
    clock.pass(step_us);
    log.now();
  }
  return (log.now() - start).count() - seconds * kSecond;
}

TEST_CASE("log time is drawn to wall time by 1 ms for each second, either way", "[base]") {
  CHECK(drawn(1'900'000, 10, kSecond) == 10'000);
  CHECK(drawn(-3600 * kSecond, 10, kSecond) == -10'000);
  CHECK(drawn(5'000, 10, kSecond) == 5'000);
  CHECK(drawn(-5'000, 10, kSecond) == -5'000);
}

TEST_CASE("log time is drawn as far when it is asked for often", "[base]") {
  CHECK(drawn(1'900'000, 10, 100'000) == 10'000);
  CHECK(drawn(1'900'000, 10, 100) == 10'000);
  CHECK(drawn(-3600 * kSecond, 10, 100) == -10'000);
  CHECK(drawn(-3600 * kSecond, 10, 1'600) == -10'000);
}

TEST_CASE("the system's clocks go forward", "[base]") {
  base::SystemClock clock;
  const Duration boot = clock.boot();
  CHECK(boot.count() > 0);
  CHECK(clock.boot() >= boot);
  CHECK(clock.wall().us > 1'600'000'000 * kSecond);
}

TEST_CASE("a forward step of wall time that stays for 5 s is taken", "[base]") {
  HandClock clock;
  base::LogClock log(clock, {});
  log.now();
  clock.wall_at.us += 8 * 3600 * kSecond;
  for (int i = 0; i < 50; ++i) {
    clock.pass(kSecond / 10);
    log.now();
    CHECK(log.lead() > base::kClockStepMin);
  }
  clock.pass(kSecond / 10);
  CHECK(log.now() == clock.wall_at);
  CHECK(log.lead().count() == 0);
}

TEST_CASE("a forward step that is taken back within 5 s is not taken", "[base]") {
  HandClock clock;
  base::LogClock log(clock, {});
  const Time start = log.now();
  for (int i = 0; i < 20; ++i) {
    clock.wall_at.us += (i % 2 == 0 ? 3600 : -3600) * kSecond;
    clock.pass(3 * kSecond);
    log.now();
  }
  CHECK(log.now() - start < Duration{61 * kSecond});
}

TEST_CASE("a backward step is waited for", "[base]") {
  HandClock clock;
  base::LogClock log(clock, {});
  const Time start = log.now();
  clock.wall_at.us -= 3600 * kSecond;
  clock.pass(60 * kSecond);
  CHECK(log.now() > start);
  CHECK(log.lead() < Duration{-3590 * kSecond});
}

}  // namespace
