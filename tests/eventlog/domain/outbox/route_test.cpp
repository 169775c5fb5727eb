// The places that notifications can be sent to, as texts.
#include "eventlog/domain/outbox/route.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a place is a channel, perhaps an account, a target and perhaps a thread", "[outbox]") {
  CHECK(parse_route("telegram|1234") == Route{"telegram", {}, "1234"});
  CHECK(parse_route("telegram|bot|12|34") == Route{"telegram", "bot", "12|34"});
  CHECK(parse_route("telegram|1234|thread:55") == Route{"telegram", {}, "1234", "55"});
  CHECK(parse_route("telegram|bot|1234|thread:55") == Route{"telegram", "bot", "1234", "55"});
  for (const char* none : {"telegram", "|1", "telegram|", "telegram||1", ""}) {
    CHECK_FALSE(parse_route(none));
  }
}

TEST_CASE("a target that looks like a thread is one only behind a whole place", "[outbox]") {
  CHECK(parse_route("slack|thread:9") == Route{"slack", {}, "thread:9"});
  CHECK(parse_route("slack|c1|thread:") == Route{"slack", "c1", "thread:"});
}

TEST_CASE("a place is written as it is read", "[outbox]") {
  for (const char* text : {"telegram|1234", "telegram|bot|1234|thread:55", "slack|thread:9"}) {
    CHECK(route_text(*parse_route(text)) == text);
  }
}

}  // namespace
}  // namespace domain
