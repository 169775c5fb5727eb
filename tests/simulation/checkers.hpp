// What must hold of every log, whatever happened. Each returns a sentence about the first thing
// that is wrong, or nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/block_store.hpp"
#include "eventlog/key_value_store.hpp"
#include "eventlog/session/state.hpp"

namespace simulation {

// An answer that a client was given.
struct Acknowledged {
  base::CommandId command;
  base::Position position;
};

// Positions and versions dense, chain intact, no session's stream inconsistent, a worker's reports
// only under the lease of their token and in sequence, tokens never falling, no command id decided
// twice, every acknowledged command in its place.
std::string check_log(eventlog::BlockStore& store, const std::vector<Acknowledged>& acknowledged);

// The log's last events, one a line, for a reader who asks what happened.
std::string describe_tail(eventlog::BlockStore& store, std::int64_t count);

// How many events of that type the log holds.
std::int64_t count_events(eventlog::BlockStore& store, std::string_view type);

// All sessions as the log has them, by stream.
std::map<std::string, session::SessionState> fold_sessions(eventlog::BlockStore& store);

// Projections built step by step equal those built from the start.
std::string check_projections(eventlog::BlockStore& store, eventlog::KeyValueStore& live);

}  // namespace simulation
