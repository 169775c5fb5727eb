// Which choice about a queue holds.
#include "eventlog/domain/conversation/queue_settings.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

using std::chrono::milliseconds;

QueueChoices choices(QueueMode mode, std::int64_t ms, std::int64_t cap, QueueDrop drop) {
  return {mode, milliseconds(ms), cap, drop};
}

TEST_CASE("of the places of choices an earlier one wins, for each field alone",
          "[conversation][R098]") {
  CHECK(queue_settings({}) == QueueSettings{});
  QueueLayers layers;
  const auto expect = [&](QueueChoices QueueLayers::*place, const QueueChoices& chosen) {
    layers.*place = chosen;
    CHECK(queue_settings(layers) ==
          QueueSettings{*chosen.mode, *chosen.debounce, *chosen.cap, *chosen.drop});
  };
  expect(&QueueLayers::global, choices(QueueMode::steer, 1, 1, QueueDrop::old));
  expect(&QueueLayers::channel_default, choices(QueueMode::followup, 2, 2, QueueDrop::newest));
  expect(&QueueLayers::channel, choices(QueueMode::interrupt, 3, 3, QueueDrop::summarize));
  expect(&QueueLayers::conversation, choices(QueueMode::collect, 4, 4, QueueDrop::old));
  expect(&QueueLayers::inlined, choices(QueueMode::steer_backlog, 0, 5, QueueDrop::newest));
  layers.inlined = {};
  layers.inlined.cap = 7;
  CHECK(queue_settings(layers) ==
        QueueSettings{QueueMode::collect, milliseconds(4), 7, QueueDrop::old});
}

TEST_CASE("settings of a queue stay within bounds", "[conversation]") {
  QueueLayers layers;
  layers.global = choices(QueueMode::collect, -1, -1, QueueDrop::old);
  CHECK(queue_settings(layers).debounce == base::Duration{0});
  CHECK(queue_settings(layers).cap == 1);
  layers.global.debounce = base::Duration::max();
  layers.global.cap = std::int64_t{1} << 60;
  CHECK(queue_settings(layers).debounce == kQueueDebounceMax);
  CHECK(queue_settings(layers).cap == kQueueCapMax);
}

TEST_CASE("a mode has the same names everywhere, and no others", "[conversation]") {
  for (const std::string_view name : base::EnumNames<QueueMode>::kNames) {
    CHECK(base::enum_name(*parse_queue_mode(name)) == name);
  }
  CHECK(parse_queue_mode("\u3000QUEUED\n") == QueueMode::steer);
  CHECK(parse_queue_drop(" Summarize") == QueueDrop::summarize);
  for (const std::string_view word : {"", " ", "steer backlog", "stéer", "steer\xFF", "collec"}) {
    CHECK_FALSE(parse_queue_mode(word));
    CHECK_FALSE(parse_queue_drop(word));
  }
  CHECK_FALSE(parse_queue_mode(std::string(1'000'000, 's')));
}

}  // namespace
}  // namespace domain
