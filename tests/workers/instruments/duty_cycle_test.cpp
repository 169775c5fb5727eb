// Histograms of durations are accurate to a sixteenth, and the stages of a command leave no gap.
#include "workers/instruments/duty_cycle.hpp"

#include "tests/support/catch.hpp"

namespace workers {
namespace {

using base::Duration;

StageTime summary_of(std::initializer_list<std::pair<int, std::int64_t>> values) {
  Histogram histogram;
  for (const auto& [count, us] : values) {
    for (int i = 0; i < count; ++i) histogram.add(Duration{us});
  }
  return histogram.summary();
}

TEST_CASE("a quantile is that of the value which has so many below it or equal", "[workers]") {
  CHECK(summary_of({}) == StageTime{0, 0, 0, 0});
  CHECK(summary_of({{1, 0}}) == StageTime{1, 0, 0, 0});
  CHECK(summary_of({{1, 7}}) == StageTime{1, 7, 7, 7});
  CHECK(summary_of({{98, 10}, {2, 1'000'000}}) == StageTime{100, 10, 1'000'000, 1'000'000});
  CHECK(summary_of({{99, 10}, {1, 1'000'000}}) == StageTime{100, 10, 10, 1'000'000});
  CHECK(summary_of({{60, 0}, {40, 3}}) == StageTime{100, 0, 3, 3});
}

TEST_CASE("a quantile is at most a sixteenth above the value", "[workers]") {
  for (std::int64_t us = 1; us < 1'000'000'000; us = us * 3 + 1) {
    const StageTime time = summary_of({{99, us}, {1, us * 8}});
    CHECK(time.p50_us >= us);
    CHECK(time.p50_us <= us + us / 16);
    CHECK(time.p99_us == time.p50_us);
    CHECK(time.max_us == us * 8);
  }
}

TEST_CASE("the stages of a command are each other's continuation", "[workers]") {
  DutyCycle duty;
  const auto us = [](int count) { return Duration{count}; };
  duty.add({us(100), us(103), us(108), us(115)}, us(117));
  duty.add({us(200), us(200), us(200), us(200)}, us(200));
  const StageTimes times = duty.times();
  CHECK(times.inbox == StageTime{2, 0, 3, 3});
  CHECK(times.decide == StageTime{2, 0, 5, 5});
  CHECK(times.sync == StageTime{2, 0, 7, 7});
  CHECK(times.reply == StageTime{2, 0, 2, 2});
  CHECK(times.total == StageTime{2, 0, 17, 17});
}

}  // namespace
}  // namespace workers
