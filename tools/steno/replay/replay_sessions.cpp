// Resolves a session reference on folded states, in the order in which the server resolves it.
#include <algorithm>
#include <map>

#include "tools/steno/replay/replay_fold.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;
using domain::SessionState;

constexpr std::size_t kPrefixMin = 4;  // of an id or alias, as a reference

Result<FoldedSessions> only_one(const FoldedSessions& found, const std::string& reference) {
  if (found.size() == 1) return found;
  std::string names;
  for (const FoldedSession* one : found) {
    names += (names.empty() ? "" : ", ") + one->state.agent + " " + one->state.session.text();
  }
  return base::failure(ErrorCode::invalid, "'" + reference + "' fits several sessions: " + names);
}

// Tries in turn: id; alias; name, of several sessions the live one, else the newest; a prefix of id
// or alias; the agent's own session id. `all` must be in the order of opening.
Result<FoldedSessions> resolve(const FoldedSessions& all, const std::string& reference) {
  const auto matching = [&](auto&& is_meant) {
    FoldedSessions found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const FoldedSession* one) { return is_meant(one->state); });
    return found;
  };
  const auto id = base::SessionId::parse(reference);
  FoldedSessions found = matching([&](const SessionState& s) { return id && s.session == *id; });
  if (!found.empty()) return found;
  found = matching([&](const SessionState& s) { return s.alias == reference; });
  if (!found.empty()) return found;
  std::map<std::string, const FoldedSession*> by_agent;
  for (const FoldedSession* one : matching([&](const auto& s) { return s.name == reference; })) {
    const FoldedSession*& chosen = by_agent[one->state.agent];
    const bool is_kept = chosen != nullptr && is_live(chosen->state.status);
    if (!is_kept) chosen = one;
  }
  for (const auto& [agent, one] : by_agent) found.push_back(one);
  if (!found.empty()) return only_one(found, reference);
  if (reference.size() >= kPrefixMin) {
    found = matching([&](const SessionState& s) {
      return s.session.text().starts_with(reference) || s.alias.starts_with(reference);
    });
    if (!found.empty()) return only_one(found, reference);
  }
  found = matching([&](const SessionState& s) { return s.agent_session == reference; });
  if (!found.empty()) return FoldedSessions{found.back()};
  return base::failure(ErrorCode::not_found,
                       "there is no session '" + reference + "' at that point");
}

}  // namespace

Result<FoldedSessions> choose_sessions(const Fold& fold, const std::string& agent,
                                       const std::string& reference) {
  FoldedSessions all;
  for (const auto& [stream, folded] : fold.sessions) {
    if (agent.empty() || folded.state.agent == agent) all.push_back(&folded);
  }
  std::sort(all.begin(), all.end(), [](const FoldedSession* a, const FoldedSession* b) {
    return a->state.opened < b->state.opened;
  });
  return reference.empty() ? all : resolve(all, reference);
}

}  // namespace steno
