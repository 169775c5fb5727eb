// Checks that hold for every whole log. Each returns a sentence about the first thing that is
// wrong, or an empty text.
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

// An answer to a client.
struct Acknowledged {
  base::CommandId command;
  base::Position position;
};

// Runs every check of LogObserver, and finds every acknowledged command in its place.
std::string check_log(eventlog::BlockStore& store, const std::vector<Acknowledged>& acknowledged);

// If an agent's exit is on the record, everything it said before is there once, in order.
std::string check_outputs(const std::vector<RecordedEvent>& events,
                          const std::map<LeaseKey, AgentRecord>& records);

// Returns the text with which agents answer the turn.
std::string answer_to(base::TurnId turn);
// Each answer on the record is that to its own turn.
std::string check_answers(const std::vector<RecordedEvent>& events);

// If an agent's exit is on the record, each turn costs there what it cost. A lineage has spent what
// its sessions have, and no more than their agents.
std::string check_costs(const std::vector<RecordedEvent>& events,
                        const std::map<std::string, domain::StreamState>& states,
                        const std::map<LeaseKey, AgentRecord>& records);
// The agent's budget has all that its sessions have spent. Nothing begins on a day whose budget is
// spent. The budget is not 0.
std::string check_budgets(const std::vector<RecordedEvent>& events,
                          const std::map<std::string, domain::StreamState>& states,
                          base::NanoUsd daily_budget);
// No session is completed while its agent has tasks, unless that was asked for or takes too long.
std::string check_tasks(const std::vector<RecordedEvent>& events,
                        const std::map<std::string, domain::StreamState>& states,
                        const std::map<LeaseKey, AgentRecord>& records);

// Each run of a schedule has one outcome at most, and one that was taken has opened or prompted its
// session, once.
std::string check_schedules(const std::vector<RecordedEvent>& events);
// Only a prompt that says so is dropped, and only a turn that was lost is tried again.
// Returns a file as agents of the simulation are given it, behind their prompt.
std::string file_said(const domain::FileFacts& file, std::string_view data);

std::string check_prompts(const std::vector<RecordedEvent>& events);
// The agent that finishes a turn was given each prompt of it that was not answered before, once.
std::string check_injections(const std::vector<RecordedEvent>& events,
                             const std::map<LeaseKey, AgentRecord>& records);
// Whatever an agent asks has one answer at most and one end, and what ran was granted.
std::string check_asks(const std::vector<RecordedEvent>& events,
                       const std::map<LeaseKey, AgentRecord>& records);
// Each message that was accepted waits, or has one end; an agent is given it once at most, in the
// order in which they came.
std::string check_messages(const std::vector<RecordedEvent>& events,
                           const std::map<std::string, domain::StreamState>& states);
// Each task that a subagent was given and that has ended is told once, and no other one is.
std::string check_tasks_told(const std::vector<RecordedEvent>& events);
// A parent has a prompt for each notification that was delivered to it, and none without one.
std::string check_parents(const std::vector<RecordedEvent>& events);
// No place hears more than `told_max` notifications in a minute; 0: no limit. Webhooks and
// parents may.
std::string check_pacing(const std::vector<RecordedEvent>& events, std::int64_t told_max);

// The store holds the content of each event as recorded, and none of the content that the states of
// the streams call erased.
std::string check_contents(eventlog::BlockStore& store, const std::vector<RecordedEvent>& events,
                           const std::map<std::string, domain::StreamState>& states);

// `given` must be the positions of all events of the level, ascending.
std::string check_level(const std::vector<RecordedEvent>& events, const std::string& level,
                        const std::vector<base::Position>& given);

// Projections built step by step must equal those built from the start.
std::string check_projections(eventlog::BlockStore& store, eventlog::KeyValueStore& live);

// Returns one line about an event, for a trace.
std::string describe(const RecordedEvent& event);

}  // namespace simulation
