// Checks of `steno serve` before it begins: the clock against the log, and the share of descriptors
// for peers.
#include "tests/support/catch.hpp"
#include "tools/steno/serve/open_files.hpp"
#include "tools/steno/serve/serve.hpp"

namespace steno {
namespace {

using Catch::Contains;

TEST_CASE("a server does not start with a clock that is far before its log", "[tools]") {
  const base::Time last{1'800'000'000'000'000};
  CHECK(check_clock({}, last));
  CHECK(check_clock(last, last));
  CHECK(check_clock(last, last + std::chrono::hours(24 * 365)));
  CHECK(check_clock(last, last + -std::chrono::minutes(59)));
  const auto refused = check_clock(last, last + -std::chrono::minutes(185));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::ErrorCode::refused);
  CHECK_THAT(refused.error().text, Contains("3 h 5 min before the log's last event"));
  CHECK_THAT(refused.error().text, Contains("--accept-clock"));
}

TEST_CASE("half of the files that a server may open are for its peers", "[tools]") {
  const auto many = share_open_files(20'000);
  REQUIRE(many);
  CHECK(many->limit == 20'000);
  CHECK(many->peers_below == 10'000);
  CHECK(share_open_files(kOpenFilesMin));
  const auto few = share_open_files(kOpenFilesMin - 1);
  REQUIRE_FALSE(few);
  CHECK(few.error().code == base::ErrorCode::refused);
  CHECK_THAT(few.error().text, Contains("only 127") && Contains("ulimit -Hn"));
}

}  // namespace
}  // namespace steno
