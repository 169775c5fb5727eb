// The topic of a message whose events earlier readers cannot read: the level, and this mark. Topics
// are prefixes, so those who hear the level get it. Readers of earlier releases know no such topic,
// pass it over, and find the gap.
#pragma once

#include <string_view>

namespace bus {

constexpr std::string_view kLaterMark = "+";

}  // namespace bus
