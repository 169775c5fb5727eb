// Parts of a session's output: turns from either end, and what was said since some time.
#include "tools/steno/client/output_part.hpp"

#include "tests/support/catch.hpp"

namespace steno {
namespace {

base::TurnId turn_id(char number) {
  base::TurnId id;
  id.bytes[0] = number;
  return id;
}

workers::SessionTurns three_turns() {
  workers::SessionTurns all;
  all.turns = {{turn_id(1), {10}, {20}, {100}, false},
               {turn_id(2), {30}, {40}, {200}, true},
               {turn_id(3), {50}, {0}, {300}, false}};
  return all;
}

OutputPart part_of(const OutputArguments& arguments, base::Time since = {}) {
  const auto part = choose_part(arguments, since, three_turns(), "nightly");
  REQUIRE(part);
  return *part;
}

workers::OutputItem item_at(std::int64_t position, char turn = 0, std::int64_t time = 0) {
  workers::OutputItem item;
  item.position.value = position;
  if (turn > 0) item.turn = turn_id(turn);
  item.time.us = time;
  return item;
}

TEST_CASE("a turn is chosen from either end", "[tools]") {
  OutputArguments arguments;
  CHECK(!asks_for_part(arguments));
  for (const auto& [number, id] : {std::pair{1, 1}, {2, 2}, {3, 3}, {-1, 3}, {-3, 1}}) {
    arguments.turn = number;
    CHECK(asks_for_part(arguments));
    CHECK(part_of(arguments).turn == turn_id(static_cast<char>(id)));
  }
  OutputArguments last;
  last.is_last = true;
  CHECK(part_of(last).turn == turn_id(3));
}

TEST_CASE("a turn has what is said of it until the next one begins", "[tools]") {
  OutputArguments arguments;
  arguments.turn = 2;
  const OutputPart part = part_of(arguments);
  CHECK(part.after.value == 29);
  CHECK(part.through.value == 49);
  CHECK(part.has(item_at(30, 2)));
  CHECK(part.has(item_at(45)));  // of no turn
  CHECK(!part.has(item_at(35, 1)));
  CHECK(!part.has(item_at(50, 2)));
  workers::OutputItem queued = item_at(32, 2);
  queued.is_queued = true;
  CHECK(!part.has(queued));
}

TEST_CASE("a turn that goes on has no end", "[tools]") {
  OutputArguments arguments;
  arguments.is_last = true;
  CHECK(part_of(arguments).has(item_at(1'000'000, 3)));
}

TEST_CASE("what was said since a time begins within the turn of that time", "[tools]") {
  OutputArguments arguments;
  arguments.since = "10m";
  CHECK(part_of(arguments, {50}).after.value == 0);
  CHECK(part_of(arguments, {100}).after.value == 0);
  CHECK(part_of(arguments, {101}).after.value == 9);
  CHECK(part_of(arguments, {1000}).after.value == 49);
  const OutputPart part = part_of(arguments, {250});
  CHECK(part.after.value == 29);
  CHECK(!part.has(item_at(38, 2, 249)));
  CHECK(part.has(item_at(39, 2, 250)));
}

TEST_CASE("a turn that there is not is refused", "[tools]") {
  OutputArguments arguments;
  for (const std::int64_t number : {4, -4}) {
    arguments.turn = number;
    const auto part = choose_part(arguments, {}, three_turns(), "nightly");
    REQUIRE(!part);
    CHECK(part.error().exit_code == kExitNotFound);
    CHECK(part.error().text == "nightly has had 3 turns, and no turn " + std::to_string(number));
  }
  arguments.turn = -1;
  const auto none = choose_part(arguments, {}, {}, "nightly");
  REQUIRE(!none);
  CHECK(none.error().text == "nightly has had no turn yet");
}

TEST_CASE("turns are not counted from a beginning that is not in the log", "[tools]") {
  workers::SessionTurns all = three_turns();
  all.archived = "it is in an archive";
  OutputArguments arguments;
  arguments.turn = 1;
  const auto part = choose_part(arguments, {}, all, "nightly");
  REQUIRE(!part);
  CHECK_THAT(part.error().text, Catch::Contains("it is in an archive"));
  arguments.turn = -1;
  CHECK(choose_part(arguments, {}, all, "nightly")->turn == turn_id(3));
}

}  // namespace
}  // namespace steno
