// Sets of stream versions, as ascending ranges that neither touch nor overlap: which events'
// content was erased, is missing, or is to go. Pure.
#pragma once

#include <vector>

#include "eventlog/domain/types.hpp"

namespace domain {

// Both ends belong to it.
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

// Not empty, versions from 1 on, and each range behind the one before it with a gap between them.
bool is_proper(const VersionRanges& ranges);

// Any ranges in any order, those that overlap too, as a set; what holds no version goes.
VersionRanges normalized(VersionRanges ranges);

// Of two sets.
VersionRanges united(const VersionRanges& a, const VersionRanges& b);
VersionRanges without(const VersionRanges& a, const VersionRanges& b);
bool contains(const VersionRanges& ranges, StreamVersion version);

}  // namespace domain
