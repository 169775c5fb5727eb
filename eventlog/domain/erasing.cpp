// The parts of a decision on an erasure that no aggregate decides in a way of its own.
#include "eventlog/domain/erasing.hpp"

namespace domain::detail {

std::optional<Rejection> check_asked(const VersionRanges& asked, StreamVersion last,
                                     const std::string& subject) {
  for (const VersionRange& range : asked) {
    if (range.first.value >= 1 && range.first <= range.last && range.last <= last) continue;
    return Rejection{RejectionCode::invalid, subject + " has events 1 to " +
                                                 std::to_string(last.value) + ", not " +
                                                 std::to_string(range.first.value) + " to " +
                                                 std::to_string(range.last.value)};
  }
  return std::nullopt;
}

base::Result<VersionRanges, Rejection> not_erased_yet(const ContentState& contents,
                                                      const VersionRanges& wanted,
                                                      const std::string& subject,
                                                      const Limits& limits) {
  const auto stretches = static_cast<std::int64_t>(united(contents.erased, wanted).size());
  if (stretches > limits.erased_max) {
    return tl::unexpected(
        Rejection{RejectionCode::limit_reached,
                  subject + " would have " + std::to_string(stretches) +
                      " stretches of erased events, of " + std::to_string(limits.erased_max) +
                      " at most; name fewer and longer ones, or erase all of it"});
  }
  return without(wanted, contents.erased);
}

}  // namespace domain::detail
