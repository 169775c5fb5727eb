// What must hold of a whole log, whatever happened. Each returns a sentence about the first thing
// that is wrong, or nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"
#include "eventlog/store/key_value_store.hpp"
#include "tests/simulation/sim_agent.hpp"

namespace simulation {

using domain::RecordedEvent;

// An answer that a client was given.
struct Acknowledged {
  base::CommandId command;
  base::Position position;
};

// All that LogObserver checks, and every acknowledged command in its place.
std::string check_log(eventlog::BlockStore& store, const std::vector<Acknowledged>& acknowledged);

// What an agent said before it exited is on the record once, in its order, if its exit is.
std::string check_outputs(const std::vector<RecordedEvent>& events,
                          const std::map<LeaseKey, AgentRecord>& records);

// The store holds the content of each event as it was when it was recorded, but for those that the
// states of their streams call erased, of which it holds none.
std::string check_contents(eventlog::BlockStore& store, const std::vector<RecordedEvent>& events,
                           const std::map<std::string, domain::StreamState>& states);

// `given` are the positions of the level's events, ascending, all of them.
std::string check_level(const std::vector<RecordedEvent>& events, const std::string& level,
                        const std::vector<base::Position>& given);

// Projections built step by step equal those built from the start.
std::string check_projections(eventlog::BlockStore& store, eventlog::KeyValueStore& live);

// One line about an event, for a trace.
std::string describe(const RecordedEvent& event);

}  // namespace simulation
