// Prompts that are made of messages which have waited.
#include "eventlog/domain/conversation/queued_prompt.hpp"

#include "eventlog/base/bytes.hpp"
#include "tests/support/catch.hpp"

namespace domain {
namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  while (times-- > 0) text += part;
  return text;
}

TEST_CASE("a summary is one line, cut between characters that a reader sees", "[conversation]") {
  CHECK(summary_line(repeated("e\u0301", 160)) == repeated("e\u0301", 160));
  CHECK(summary_line(repeated("e\u0301", 161)) == repeated("e\u0301", 159) + "…");
  CHECK(summary_line(std::string(158, 'x') + " yyy") == std::string(158, 'x') + "…");
  CHECK(summary_line(" \n ").empty());
}

TEST_CASE("a summary is bounded in bytes, whatever its characters are made of", "[conversation]") {
  const std::string tower = "e" + repeated("\u0301", 10'000);
  CHECK(summary_line(tower) == "…");
  CHECK(summary_line("ok " + tower) == "ok…");
  const std::string families = summary_line(repeated("👨‍👩‍👧‍👦", 200));
  CHECK(families.size() <= kSummaryBytesMax);
  CHECK(base::is_utf8(families));
  CHECK(summary_line(std::string(1'000'000, ' ') + "x") == "x");
}

TEST_CASE("a single text is the prompt as it is", "[conversation]") {
  NextTurn turn;
  turn.shape = TurnShape::single;
  const std::string_view texts[] = {" as\nit is "};
  CHECK(queued_prompt(turn, texts) == texts[0]);
  CHECK(queued_prompt(turn, {}).empty());
}

TEST_CASE("an overflow is told with a line for each message, also for one without text",
          "[conversation]") {
  NextTurn turn;
  turn.shape = TurnShape::overflow;
  turn.overflow = {3, {Position{2}, Position{3}}};
  const std::string_view latest[] = {"two", ""};
  CHECK(queued_prompt(turn, {}, latest) ==
        "[Queue overflow] Dropped 3 messages due to cap.\nSummary:\n- two\n- (no text)");
}

TEST_CASE("collected texts keep the indent of their first line", "[conversation]") {
  NextTurn turn;
  turn.shape = TurnShape::collected;
  const std::string_view texts[] = {"  a\n b \n", " ", std::string_view()};
  CHECK(queued_prompt(turn, texts) ==
        "[Queued messages while agent was busy]\n\n---\nQueued #1\n  a\n b\n\n---\nQueued "
        "#2\n\n---\nQueued #3");
}

}  // namespace
}  // namespace domain
