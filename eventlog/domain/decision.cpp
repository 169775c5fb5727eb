// Checks what a decision asks for.
#include "eventlog/domain/decision.hpp"

#include "eventlog/base/check.hpp"

namespace domain {

void StateRef::require(bool is_of_kind) {
  CHECK(is_of_kind);  // the state is of the aggregate that was asked for
}

void Decision::require_stream(std::string_view pattern, const std::string& stream) {
  CHECK(stream.empty() || match_stream(pattern, stream).has_value());
}

}  // namespace domain
