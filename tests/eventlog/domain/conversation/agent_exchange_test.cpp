// Messages between agents, beyond the vectors.
#include "eventlog/domain/conversation/agent_exchange.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("only the word itself skips", "[conversation]") {
  CHECK(is_announce_skip(" ANNOUNCE_SKIP\n"));
  CHECK_FALSE(is_announce_skip("announce_skip"));
  CHECK_FALSE(is_announce_skip("REPLY_SKIP"));
  CHECK_FALSE(is_reply_skip(""));
}

TEST_CASE("an exchange has from no turn to five", "[conversation]") {
  CHECK(exchange_turns(-1) == 0);
  CHECK(exchange_turns(0) == 0);
  CHECK(exchange_turns(3) == 3);
  CHECK(exchange_turns(99) == 5);
}

TEST_CASE("stars in the list of agents stand for any characters", "[conversation][R128]") {
  const auto reaches = [](std::string pattern, std::string_view to) {
    return can_reach({true, {"from", std::move(pattern)}}, "from", to);
  };
  CHECK(reaches("*", "ops"));
  CHECK(reaches("o*s", "OPS"));
  CHECK(reaches("*a*b", "xaxbxb"));
  CHECK(reaches(" ops ", "ops"));
  CHECK_FALSE(reaches("o*s", "opsx"));
  CHECK_FALSE(reaches("ops-*", "ops"));
  CHECK_FALSE(reaches("o.s*", "ops"));
  CHECK_FALSE(reaches("", ""));
  CHECK_FALSE(reaches(" ", "ops"));
  // Hostile patterns take no longer than their length times that of the id.
  std::string stars;
  for (int i = 0; i < 2'000; ++i) stars += "a*";
  CHECK_FALSE(reaches(stars + "b", std::string(4'000, 'a')));
}

}  // namespace
}  // namespace domain
