// Deliberate bugs that the simulator switches on while it runs. tests/mutants/ has these and all
// others as patches, which ./tools/mutants applies. In an ordinary build `mutant(...)` is the
// constant false and the branch is gone. With STENO_MUTANTS the environment variable
// STENO_MUTANT=name switches one on.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#ifdef STENO_MUTANTS
#include <cstdio>
#include <cstdlib>
#endif

namespace base {

enum class Mutant {
  none,
  acknowledge_before_sync,    // an answer leaves before its block is durable
  completed_before_scrubbed,  // an erasure counts as done while files still hold the text
  whole_block_erased,         // erasing one event's content erases that of its block
  skip_deduplication,         // a repeated command id is decided again
  ignore_fencing_token,       // a report under an old token is taken
  directive_numbers_restart,  // a new server numbers its directives from 1 again
  page_skips_event,           // a full page of the log claims the event that did not fit
  stopped_worker_obeys,       // a worker that was stopped obeys a directive of a lost lease
  expiring_lease_directed,    // a worker is directed while its lease is being expired
  holder_not_awaited,         // a new server gives up a holder that has not registered yet
  busy_is_refusal,            // a full inbox is reported as a refusal
  takeover_behind,            // a new server takes over an outdated record
};

// The names, in the order above.
constexpr std::string_view kMutantNames[] = {
    "none",
    "acknowledge_before_sync",
    "completed_before_scrubbed",
    "whole_block_erased",
    "skip_deduplication",
    "ignore_fencing_token",
    "directive_numbers_restart",
    "page_skips_event",
    "stopped_worker_obeys",
    "expiring_lease_directed",
    "holder_not_awaited",
    "busy_is_refusal",
    "takeover_behind",
};
static_assert(std::size(kMutantNames) == static_cast<std::size_t>(Mutant::takeover_behind) + 1);

#ifdef STENO_MUTANTS
inline std::optional<Mutant> mutant_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kMutantNames); ++i) {
    if (kMutantNames[i] == name) return static_cast<Mutant>(i);
  }
  return std::nullopt;
}

// Returns the mutant that the environment names; ends the process when there is none of that name.
inline Mutant mutant_of_environment() {
  const char* wanted = std::getenv("STENO_MUTANT");
  if (wanted == nullptr || *wanted == '\0') return Mutant::none;
  if (const auto named = mutant_named(wanted)) return *named;
  std::fprintf(stderr, "STENO_MUTANT: there is no mutant '%s'\n", wanted);
  std::abort();
}

inline Mutant active_mutant = mutant_of_environment();

inline bool mutant(Mutant which) {
  return active_mutant == which;
}
#else
// Not a function of the program: objects that are compiled with mutants can be linked beside this.
consteval bool mutant(Mutant) {
  return false;
}
#endif

}  // namespace base
