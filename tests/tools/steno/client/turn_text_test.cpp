// The frame around the turns of a conversation.
#include "tools/steno/client/turn_text.hpp"

#include "eventlog/domain/session/events.hpp"
#include "tests/support/catch.hpp"

namespace steno {
namespace {

constexpr base::Time kBegan{1'764'504'000'000'000};  // 2025-11-30T12:00:00Z

const projections::SessionRow kRow;  // of which nothing runs

base::TurnId id_of(char number) {
  base::TurnId id;
  id.bytes[0] = number;
  return id;
}

base::Time seconds_later(std::int64_t seconds) {
  return {kBegan.us + seconds * 1'000'000};
}

workers::SessionTurns two_turns() {
  workers::SessionTurns all;
  all.turns = {{id_of(1), {10}, {20}, kBegan, false},
               {id_of(2), {30}, {}, seconds_later(60), true}};
  return all;
}

workers::OutputItem said_in(base::TurnId turn) {
  workers::OutputItem item;
  item.type = domain::OutputRecorded::kType;
  item.kind = workers::ItemKind::said;
  item.turn = turn;
  return item;
}

TEST_CASE("a turn has a heading once, and what it took where it ends", "[tools]") {
  TurnText frame(two_turns(), {seconds_later(75), false, false});
  CHECK(frame.before(said_in(id_of(1)), kRow) == "── turn 1, 2025-11-30T12:00:00Z\n");
  CHECK(frame.after(said_in(id_of(1))).empty());
  workers::OutputItem end = said_in(id_of(1));
  end.type = domain::TurnFinished::kType;
  end.time = seconds_later(3);
  end.usage.input_tokens = 500;
  end.usage.output_tokens = 100;
  end.cost.value = 800'000;
  CHECK(frame.before(end, kRow).empty());
  CHECK(frame.after(end) == "(3s, 500 in, 100 out tokens, $0.0008)\n");
  CHECK(frame.before(said_in({}), kRow).empty());
  CHECK(frame.before(said_in(id_of(2)), kRow) ==
        "\n── turn 2, 2025-11-30T12:01:00Z, the agent's own\n");
}

TEST_CASE("a turn whose end is recorded late took what its agent says", "[tools]") {
  TurnText frame(two_turns(), {seconds_later(900), false, false});
  workers::OutputItem end = said_in(id_of(1));
  end.type = domain::TurnFinished::kType;
  end.time = seconds_later(613);  // the server was away
  end.took = std::chrono::milliseconds(6'400);
  CHECK(frame.after(end) == "(6s)\n");
  // No turn takes longer than from its beginning to the record of its end.
  end.time = seconds_later(3);
  CHECK(frame.after(end) == "(3s)\n");
}

TEST_CASE("a turn that goes on says for how long", "[tools]") {
  TurnText frame(two_turns(), {seconds_later(75), false, false});
  projections::SessionRow row;
  CHECK(frame.end(row).empty());
  frame.before(said_in(id_of(2)), kRow);
  CHECK(frame.end(row).empty());
  row.own_turn = id_of(2);
  CHECK(frame.end(row) == "(at work for 15s)\n");
}

TEST_CASE("what a subagent says late begins no turn, nor does a prompt that waits", "[tools]") {
  TurnText frame(two_turns(), {seconds_later(75), false, false});
  frame.before(said_in(id_of(2)), kRow);
  workers::OutputItem late = said_in(id_of(1));
  late.parent = "call";
  CHECK(frame.before(late, kRow).empty());
  workers::OutputItem queued = said_in(id_of(3));
  queued.is_queued = true;
  projections::SessionRow row;
  row.own_turn = id_of(2);
  CHECK(frame.before(queued, row) == "(at work for 15s)\n\n");
  CHECK(frame.before(queued, row).empty());
  CHECK(frame.end(row).empty());
}

TEST_CASE("turns are counted on, and not from an unknown beginning", "[tools]") {
  TurnText frame(two_turns(), {seconds_later(75), false, true});
  workers::OutputItem fresh = said_in(id_of(9));
  fresh.time = seconds_later(70);
  CHECK(frame.before(fresh, kRow) == "\x1b[2m── turn 3, 2025-11-30T12:01:10Z\x1b[22m\n");
  workers::SessionTurns archived = two_turns();
  archived.archived = "elsewhere";
  TurnText uncounted(archived, {seconds_later(75), false, false});
  CHECK(uncounted.before(said_in(id_of(1)), kRow) == "── turn, 2025-11-30T12:00:00Z\n");
}

}  // namespace
}  // namespace steno
