// Set operations over sorted ranges, each in one pass; a union sorts first.
#include "eventlog/domain/version_ranges.hpp"

#include <algorithm>

namespace domain {

bool is_proper(const VersionRanges& ranges) {
  StreamVersion before{-1};
  for (const VersionRange& range : ranges) {
    if (range.first <= before.next() || range.last < range.first) return false;
    before = range.last;
  }
  return !ranges.empty();
}

VersionRanges normalized(VersionRanges ranges) {
  std::erase_if(ranges, [](const VersionRange& range) { return range.last < range.first; });
  std::sort(ranges.begin(), ranges.end(),
            [](const VersionRange& a, const VersionRange& b) { return a.first < b.first; });
  VersionRanges set;
  for (const VersionRange& range : ranges) {
    if (!set.empty() && range.first <= set.back().last.next()) {
      set.back().last = std::max(set.back().last, range.last);
    } else {
      set.push_back(range);
    }
  }
  return set;
}

VersionRanges united(const VersionRanges& a, const VersionRanges& b) {
  VersionRanges all = a;
  all.insert(all.end(), b.begin(), b.end());
  return normalized(std::move(all));
}

VersionRanges without(const VersionRanges& a, const VersionRanges& b) {
  VersionRanges left;
  auto cut = b.begin();
  for (VersionRange range : a) {
    while (cut != b.end() && cut->last < range.first) ++cut;
    for (auto at = cut; at != b.end() && at->first <= range.last; ++at) {
      if (range.first < at->first) left.push_back({range.first, {at->first.value - 1}});
      range.first = at->last.next();
    }
    if (range.first <= range.last) left.push_back(range);
  }
  return left;
}

bool contains(const VersionRanges& ranges, StreamVersion version) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), version,
                       [](StreamVersion v, const VersionRange& range) { return v < range.first; });
  return after != ranges.begin() && version <= std::prev(after)->last;
}

}  // namespace domain
