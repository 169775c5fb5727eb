// Ranges of versions against the sets that they stand for.
#include "eventlog/domain/version_ranges.hpp"

#include <set>

#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"

namespace domain {
namespace {

constexpr std::int64_t kVersions = 24;

VersionRanges random_ranges(base::Random& random) {
  VersionRanges ranges;
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    const auto first = static_cast<std::int64_t>(1 + random.below(kVersions));
    ranges.push_back({{first}, {first + static_cast<std::int64_t>(random.below(5)) - 1}});
  }
  return ranges;
}

std::set<std::int64_t> versions(const VersionRanges& ranges) {
  std::set<std::int64_t> all;
  for (const VersionRange& range : ranges) {
    for (auto v = range.first.value; v <= range.last.value; ++v) all.insert(v);
  }
  return all;
}

TEST_CASE("ranges of versions are the sets that they stand for", "[session]") {
  base::SeededRandom random(7);
  for (int round = 0; round < 5000; ++round) {
    const VersionRanges any = random_ranges(random);
    const VersionRanges a = normalized(any);
    const VersionRanges b = normalized(random_ranges(random));
    REQUIRE(versions(a) == versions(any));
    REQUIRE(is_proper(a) == !a.empty());
    auto expected = versions(a);
    for (const auto v : versions(b)) expected.insert(v);
    REQUIRE(versions(united(a, b)) == expected);
    REQUIRE((united(a, b).empty() || is_proper(united(a, b))));
    expected = versions(a);
    for (const auto v : versions(b)) expected.erase(v);
    REQUIRE(versions(without(a, b)) == expected);
    REQUIRE((without(a, b).empty() || is_proper(without(a, b))));
    for (std::int64_t v = 0; v <= kVersions + 5; ++v) {
      REQUIRE(contains(a, {v}) == versions(a).contains(v));
    }
  }
}

TEST_CASE("ranges that touch, overlap, are empty or begin before 1 are not proper", "[session]") {
  CHECK_FALSE(is_proper({}));
  CHECK_FALSE(is_proper({{{0}, {3}}}));
  CHECK_FALSE(is_proper({{{-4}, {-2}}}));
  CHECK_FALSE(is_proper({{{4}, {3}}}));
  CHECK_FALSE(is_proper({{{1}, {3}}, {{4}, {5}}}));
  CHECK_FALSE(is_proper({{{4}, {5}}, {{1}, {2}}}));
  CHECK(is_proper({{{1}, {1}}, {{3}, {3}}}));
}

}  // namespace
}  // namespace domain
