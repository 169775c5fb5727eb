// Deliberate bugs that prove the tests can fail. In an ordinary build `mutant(...)` is a constant
// false and the branch is gone; with STENO_MUTANTS the runner turns one of them on at a time.
#pragma once

namespace base {

enum class Mutant {
  none,
  acknowledge_before_sync,  // an answer leaves before its block is durable
  skip_deduplication,       // a repeated command id is decided again
  ignore_fencing_token,     // a report with an old token is accepted
};

#ifdef STENO_MUTANTS
inline Mutant active_mutant = Mutant::none;
inline bool mutant(Mutant which) {
  return active_mutant == which;
}
#else
constexpr bool mutant(Mutant) {
  return false;
}
#endif

}  // namespace base
