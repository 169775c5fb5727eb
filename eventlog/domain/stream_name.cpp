// Finds the aggregate of a stream by its name.
#include "eventlog/domain/stream_name.hpp"

#include <algorithm>
#include <array>

#include "eventlog/base/check.hpp"

namespace domain {
namespace {

struct Kind {
  std::string_view pattern;
  Residency residency;
  std::string_view noun;
};

template <class... A>
constexpr auto kinds(base::Types<A...>) {
  return std::array{Kind{A::kPattern, A::kResidency, A::kNoun}...};
}
constexpr auto kKinds = kinds(Aggregates{});

const Kind& kind_of(const StreamRef& ref) {
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const Kind& one) { return one.pattern == ref.pattern; });
  CHECK(kind != kKinds.end());  // the reference is of a listed aggregate
  return *kind;
}

}  // namespace

std::optional<StreamRef> parse_stream(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (auto ref = match_stream(kind.pattern, name)) return ref;
  }
  return std::nullopt;
}

Residency residency_of(const StreamRef& ref) {
  return kind_of(ref).residency;
}

std::string_view noun_of(const StreamRef& ref) {
  return kind_of(ref).noun;
}

Residency residency_of(const StreamState& state) {
  return kKinds[state.index()].residency;
}

std::vector<std::string> kept_streams() {
  std::vector<std::string> kept;
  for (const auto& kind : kKinds) {
    if (kind.residency == Residency::with_server) kept.emplace_back(kind.pattern);
  }
  return kept;
}

}  // namespace domain
