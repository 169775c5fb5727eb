// Which streams hold texts that can be erased.
#include "eventlog/domain/erasable.hpp"

#include "eventlog/domain/stream_name.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

TEST_CASE("only streams whose aggregate knows of erasures can be erased", "[domain]") {
  CHECK(can_be_erased(session_stream("main", support::kSession)));
  for (const std::string& stream : kept_streams()) CHECK_FALSE(can_be_erased(stream));
  CHECK_FALSE(can_be_erased(registry_stream("main")));
  CHECK_FALSE(can_be_erased("nobody's stream"));
}

}  // namespace
}  // namespace domain
