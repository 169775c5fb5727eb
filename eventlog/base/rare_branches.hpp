// Marks branches that are rarely taken. A simulation run that never reached a branch is then known
// to have proved nothing about it. In an ordinary build `rare(...)` does nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace base {

enum class Rare {
  report_gap,                // a report came before one that is missing
  report_repeated,           // a report came that is on the record
  stale_token,               // a report came under a lease that has ended
  command_repeated,          // a command was answered from the record
  id_reused,                 // a command id came with another body
  version_conflict,          // a command's expected version was not the version
  stream_evicted,            // a stream was saved and evicted
  command_waited,            // a command waited for a stream to be loaded
  snapshot_used,             // a stream was loaded from a snapshot
  append_doubtful,           // a block's fate was in doubt
  directive_overtaken,       // a directive came after a newer one
  older_lease_alive,         // an agent waited for that of an older lease
  lease_lost,                // a worker was told that its lease has ended
  reports_resent,            // a worker resent unacknowledged reports
  registration_renewed,      // a worker spoke to a server that did not know it
  query_parked,              // a query waited for a position
  lease_expired,             // a lease was taken from a worker that is gone
  worker_was_stopped,        // a worker noticed that it had not run for long
  refusal_repeated,          // a copy of a refused command came later
  directive_of_ended_lease,  // a directive came for a lease that had ended
  inbox_full,                // a command found no place to wait in
};
constexpr std::size_t kRareBranches = static_cast<std::size_t>(Rare::inbox_full) + 1;

#ifdef STENO_MUTANTS
inline std::array<std::int64_t, kRareBranches> rare_reached{};
inline void rare(Rare branch) {
  ++rare_reached[static_cast<std::size_t>(branch)];
}
#else
constexpr void rare(Rare) {}
#endif

}  // namespace base
