// The state of admission: the live sessions and their names.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "eventlog/domain/admission/events.hpp"
#include "eventlog/domain/aggregate.hpp"

namespace domain {

// The live session that a name belongs to.
struct NameHolder {
  SessionId session;
  std::string alias;

  bool operator==(const NameHolder&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &NameHolder::session);
    visit("alias", &NameHolder::alias);
  }
};

struct AdmissionState {
  std::map<SessionId, std::string> live;       // session → its agent
  std::map<SessionId, std::string> unsettled;  // closed, but with a lease still held
  std::set<SessionId> parked;                  // live ones that have no place
  std::vector<SessionId> awaiting;             // parked ones that wait for a place, in their order
  // The taken aliases (alias.hpp): those of all numbers below `next_alias`, and those in `aliases`
  // that were given otherwise, as by releases that drew them by lot.
  SessionId first;  // the session that was admitted first
  std::int64_t next_alias = 0;
  std::set<std::string> aliases;
  // Names of live sessions, over all agents. Names made from prompts are known by their marks,
  // since no state may hold a prompt's words. Sessions of older logs are in neither: the registries
  // of their agents know their names.
  std::map<std::string, NameHolder> names;
  std::map<std::int64_t, NameHolder> name_marks;
  Position inconsistent;

  bool operator==(const AdmissionState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("live", &AdmissionState::live);
    visit("unsettled", &AdmissionState::unsettled);
    visit("parked", &AdmissionState::parked);
    visit("awaiting", &AdmissionState::awaiting);
    visit("first", &AdmissionState::first);
    visit("next_alias", &AdmissionState::next_alias);
    visit("aliases", &AdmissionState::aliases);
    visit("names", &AdmissionState::names);
    visit("name_marks", &AdmissionState::name_marks);
    visit("inconsistent", &AdmissionState::inconsistent);
  }
};

// Returns how many sessions have a place: of these there are `max_sessions` at most.
std::int64_t places_taken(const AdmissionState& state);

// True if the session has a place, or would get one now, of as many as `max_sessions`.
bool has_place(const AdmissionState& state, SessionId session, std::int64_t max_sessions);

// Returns the number whose alias the next session gets.
std::int64_t free_alias(const AdmissionState& state, SessionId first);

void evolve(AdmissionState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
