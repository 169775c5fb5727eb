// Entries expire by age since they were last put, and the oldest make room for new ones.
#include "eventlog/base/expiring_map.hpp"

#include "tests/support/catch.hpp"

namespace workers {
namespace {

using std::chrono::seconds;

TEST_CASE("what is put again counts as new, and the oldest go first", "[workers]") {
  base::ExpiringMap<int, int> recent(2);
  recent.put(1, 10, seconds(1));
  recent.put(2, 20, seconds(2));
  recent.put(1, 11, seconds(3));
  recent.put(3, 30, seconds(4));
  CHECK(recent.count() == 2);
  REQUIRE(recent.find(1, seconds(4)) != nullptr);
  CHECK(*recent.find(1, seconds(4)) == 11);
  CHECK(recent.find(2, seconds(4)) == nullptr);
  CHECK(recent.find(3, seconds(4)) != nullptr);
}

TEST_CASE("what is older than the bound is forgotten, counted from when it was last put",
          "[workers]") {
  base::ExpiringMap<int, int> recent(10, seconds(60));
  recent.put(1, 10, seconds(0));
  recent.put(2, 20, seconds(30));
  recent.put(1, 10, seconds(50));
  CHECK(recent.find(2, seconds(90)) != nullptr);
  CHECK(recent.find(2, seconds(91)) == nullptr);
  CHECK(recent.find(1, seconds(110)) != nullptr);
  CHECK(recent.find(1, seconds(111)) == nullptr);
  CHECK(recent.count() == 0);
}

}  // namespace
}  // namespace workers
