// Turns are counted as they begin, each once.
#include "workers/operations/session_turns.hpp"

#include "eventlog/domain/session/events.hpp"
#include "tests/support/catch.hpp"

namespace {

using workers::OutputItem;
using workers::SessionTurn;

base::TurnId turn(unsigned char number) {
  base::TurnId id;
  id.bytes[0] = static_cast<char>(number);
  return id;
}

OutputItem mark(std::int64_t position, std::string_view type, base::TurnId of) {
  OutputItem item;
  item.position.value = position;
  item.type = std::string(type);
  item.turn = of;
  item.time.us = position * 1000;
  return item;
}

TEST_CASE("a turn that is started again is counted once", "[workers]") {
  std::vector<SessionTurn> turns;
  workers::add_turns({mark(3, domain::TurnStarted::kType, turn(1)),
                      mark(7, domain::OwnTurnStarted::kType, turn(2)),
                      mark(8, domain::TurnFinished::kType, turn(2))},
                     turns);
  // The outline goes on with another page.
  workers::add_turns(
      {mark(12, domain::TurnStarted::kType, turn(1)), mark(15, domain::TurnFailed::kType, turn(1)),
       mark(16, domain::TurnInterrupted::kType, turn(3)),
       mark(20, domain::TurnStarted::kType, turn(4))},
      turns);
  REQUIRE(turns.size() == 4);
  CHECK(turns[0] == SessionTurn{turn(1), {3}, {15}, {3000}, false});
  CHECK(turns[1] == SessionTurn{turn(2), {7}, {8}, {7000}, true});
  // It ended without having begun.
  CHECK(turns[2] == SessionTurn{turn(3), {16}, {16}, {16000}, false});
  CHECK(turns[3] == SessionTurn{turn(4), {20}, {0}, {20000}, false});
}

}  // namespace
