// Decides erasures. Text that an agent still needs is kept, and a name made from a prompt goes with
// that prompt.
#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

// All of the session's text, but only if no more of it can come.
base::Result<VersionRanges, Rejection> all_content(const SessionState& s) {
  if (is_live(s.status)) {
    return tl::unexpected(Rejection{RejectionCode::content_in_use,
                                    "session " + label(s) + " is still " +
                                        std::string(base::enum_name(s.status)) +
                                        "; kill it first, or name the events whose text is to go"});
  }
  if (s.lease) {
    return tl::unexpected(Rejection{
        RejectionCode::lease_held,
        "the agent process of session " + label(s) + " has not ended yet; try again in a moment"});
  }
  return normalized({{StreamVersion{1}, s.last_content}});
}

// Refuses text that the agent still needs: the system prompt, the prompts of the current turn and
// of the waiting ones.
std::optional<Rejection> check_not_in_use(const SessionState& s, const VersionRanges& events) {
  if (!is_live(s.status)) return std::nullopt;
  std::vector<StreamVersion> needed{StreamVersion{1}};
  const auto need = [&](const auto& turn) {
    needed.push_back(turn.version);
    for (const InjectedPrompt& injected : *turn.injected) needed.push_back(injected.version);
  };
  if (s.turn) need(*s.turn);
  for (const QueuedTurn& queued : s.queue) need(queued);
  for (const StreamVersion version : needed) {
    if (!contains(events, version)) continue;
    return Rejection{RejectionCode::content_in_use,
                     "the agent of session " + label(s) + " is yet to be given the text of event " +
                         std::to_string(version.value) +
                         " of its stream; wait for the end of that turn, or kill the session"};
  }
  return std::nullopt;
}

base::Result<VersionRanges, Rejection> named_content(const Deciding& d,
                                                     const VersionRanges& events) {
  for (const VersionRange& range : events) {
    if (range.first.value >= 1 && range.first <= range.last && range.last <= d.context.version) {
      continue;
    }
    return tl::unexpected(
        Rejection{RejectionCode::invalid, "session " + label(d.session()) + " has events 1 to " +
                                              std::to_string(d.context.version.value) + ", not " +
                                              std::to_string(range.first.value) + " to " +
                                              std::to_string(range.last.value)});
  }
  VersionRanges named = normalized(events);
  // A name made from the prompt's words goes with the prompt.
  const StreamVersion name = d.session().made_name.version;
  if (name.value > 0 && contains(named, name.next())) {
    named = united(named, {{name, name}});
  }
  if (auto bad = check_not_in_use(d.session(), named)) return tl::unexpected(*bad);
  return named;
}

Decided erase(Deciding d, const VersionRanges& events, ErasureReason reason) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  const auto wanted = events.empty() ? all_content(s) : named_content(d, events);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto stretches = static_cast<std::int64_t>(united(s.erased, *wanted).size());
  if (stretches > d.context.limits.erased_max) {
    return reject(RejectionCode::limit_reached,
                  "session " + label(s) + " would have " + std::to_string(stretches) +
                      " stretches of erased events, of " +
                      std::to_string(d.context.limits.erased_max) +
                      " at most; name fewer and longer ones, or erase all of it");
  }
  VersionRanges fresh = without(*wanted, s.erased);
  if (!fresh.empty()) d.emit(ContentErased{std::move(fresh), reason});
  return std::move(d.decision);
}

}  // namespace

Decided decide_one(Deciding d, const EraseContent& c) {
  return erase(std::move(d), c.events, ErasureReason::requested);
}

Decided decide_one(Deciding d, const ExpireContent&) {
  return erase(std::move(d), {}, ErasureReason::retention);
}

Decided decide_one(Deciding d, const CompleteErasure& c) {
  const SessionState& s = d.session();
  if (c.through > s.erasure || c.through <= s.erasure_completed) return Decision{};
  d.emit(ContentErasureCompleted{c.through});
  return std::move(d.decision);
}

}  // namespace domain
