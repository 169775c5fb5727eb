// Folds admission's events. Aliases taken in sequence are only counted; one that an older release
// drew by lot is remembered until the count has passed it.
#include "eventlog/domain/admission/state.hpp"

#include <algorithm>

#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(AdmissionState& s, const Envelope&, const SessionAdmitted& e) {
  const SessionId first = s.first.is_set() ? s.first : e.session;
  const auto number = alias_number(first, e.alias);
  const bool is_taken = (number && *number < s.next_alias) || s.aliases.contains(e.alias);
  if (is_taken || s.live.contains(e.session)) return false;
  if (!e.name.empty() && s.names.contains(e.name)) return false;
  if (e.name_mark != 0 && s.name_marks.contains(e.name_mark)) return false;
  s.first = first;
  s.live.emplace(e.session, e.agent);
  if (!e.name.empty()) s.names.emplace(e.name, NameHolder{e.session, e.alias});
  if (e.name_mark != 0) s.name_marks.emplace(e.name_mark, NameHolder{e.session, e.alias});
  const std::int64_t free = free_alias(s, first);
  if (number != free) {
    s.aliases.insert(e.alias);
    return true;
  }
  while (s.next_alias < free) s.aliases.erase(alias_of(first, s.next_alias++));
  ++s.next_alias;
  return true;
}

void forget_place(AdmissionState& s, SessionId session) {
  s.parked.erase(session);
  std::erase(s.awaiting, session);
}

void forget_names(AdmissionState& s, SessionId session) {
  const auto is_its = [&](const auto& name) { return name.second.session == session; };
  std::erase_if(s.names, is_its);
  std::erase_if(s.name_marks, is_its);
}

bool apply(AdmissionState& s, const Envelope&, const SessionReleased& e) {
  const auto held = s.live.find(e.session);
  if (held == s.live.end()) return false;
  if (e.has_lease) s.unsettled.emplace(e.session, held->second);
  s.live.erase(held);
  forget_place(s, e.session);
  forget_names(s, e.session);
  return true;
}

bool apply(AdmissionState& s, const Envelope&, const SessionSettled& e) {
  return s.unsettled.erase(e.session) == 1;
}

bool apply(AdmissionState& s, const Envelope&, const AdmissionMended& e) {
  for (const SessionId ended : e.ended) {
    s.live.erase(ended);
    s.unsettled.erase(ended);
    forget_place(s, ended);
    forget_names(s, ended);
  }
  s.inconsistent = {};
  return true;
}

bool apply(AdmissionState& s, const Envelope&, const SessionParked& e) {
  if (!s.live.contains(e.session)) return false;
  const bool was_awaiting = std::erase(s.awaiting, e.session) == 1;
  return s.parked.insert(e.session).second || was_awaiting;
}

bool apply(AdmissionState& s, const Envelope&, const PlaceAwaited& e) {
  const bool is_known =
      std::find(s.awaiting.begin(), s.awaiting.end(), e.session) != s.awaiting.end();
  if (is_known || !s.parked.contains(e.session)) return false;
  s.awaiting.push_back(e.session);
  return true;
}

bool apply(AdmissionState& s, const Envelope&, const SessionUnparked& e) {
  if (!s.parked.contains(e.session)) return false;
  forget_place(s, e.session);
  return true;
}

bool apply(AdmissionState& s, const Envelope&, const NameChanged& e) {
  if (!s.live.contains(e.session) || s.names.contains(e.name)) return false;
  forget_names(s, e.session);
  s.names.emplace(e.name, NameHolder{e.session, e.alias});
  return true;
}

}  // namespace

void evolve(AdmissionState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<AdmissionEvents>(state, envelope, event,
                                [&](const auto& fact) { return apply(state, envelope, fact); });
}

std::int64_t places_taken(const AdmissionState& state) {
  return static_cast<std::int64_t>(state.live.size() - state.parked.size());
}

bool has_place(const AdmissionState& state, SessionId session, std::int64_t max_sessions) {
  if (state.live.contains(session) && !state.parked.contains(session)) return true;
  const auto in_line = std::find(state.awaiting.begin(), state.awaiting.end(), session);
  return places_taken(state) + (in_line - state.awaiting.begin()) < max_sessions;
}

std::int64_t free_alias(const AdmissionState& state, SessionId first) {
  std::int64_t number = state.next_alias;
  while (state.aliases.contains(alias_of(first, number))) ++number;
  return number;
}

}  // namespace domain
