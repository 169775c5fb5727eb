// Sets of stream versions, as ascending ranges that neither touch nor overlap: events whose content
// was erased, is missing, or must be erased. Pure.
#pragma once

#include <vector>

#include "eventlog/domain/types.hpp"

namespace domain {

// Both ends are inclusive.
struct VersionRange {
  StreamVersion first;
  StreamVersion last;

  bool operator==(const VersionRange&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("first", &VersionRange::first);
    visit("last", &VersionRange::last);
  }
};

using VersionRanges = std::vector<VersionRange>;

// True if not empty, all versions are at least 1, and each range lies behind the one before it with
// a gap.
bool is_proper(const VersionRanges& ranges);

// Returns any ranges, in any order and overlapping or not, as a set; ranges without a version are
// dropped.
VersionRanges normalized(VersionRanges ranges);

// These take two sets.
VersionRanges united(const VersionRanges& a, const VersionRanges& b);
VersionRanges without(const VersionRanges& a, const VersionRanges& b);
bool contains(const VersionRanges& ranges, StreamVersion version);

}  // namespace domain
