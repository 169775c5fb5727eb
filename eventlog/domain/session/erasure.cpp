// Says which text of a session can be erased. Text that an agent still needs is kept, and a name
// made from a prompt goes with that prompt.
#include "eventlog/domain/erasing.hpp"
#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

// Refuses unless no more of the session's text can come.
std::optional<Rejection> check_over(const SessionState& s) {
  if (is_live(s.status)) {
    return Rejection{RejectionCode::content_in_use,
                     subject_of(s) + " is still " + std::string(base::enum_name(s.status)) +
                         "; kill it first, or name the events whose text is to go"};
  }
  if (s.lease) {
    return Rejection{RejectionCode::lease_held, "the agent process of " + subject_of(s) +
                                                    " has not ended yet; try again in a moment"};
  }
  return std::nullopt;
}

// Refuses text that the agent still needs: the system prompt, the prompts of the current turn and
// of the waiting ones, with their files, what it asks, and the answers.
std::optional<Rejection> check_not_in_use(const SessionState& s, const VersionRanges& events) {
  if (!is_live(s.status)) return std::nullopt;
  std::vector<StreamVersion> needed{StreamVersion{1}};
  const auto need_prompt = [&](const auto& prompt) {
    needed.push_back(prompt.version);
    for (const AttachedFile& file : *prompt.files) needed.push_back(file.version);
  };
  const auto need = [&](const auto& turn) {
    need_prompt(turn);
    for (const InjectedPrompt& injected : *turn.injected) need_prompt(injected);
  };
  if (s.turn) need(*s.turn);
  for (const QueuedTurn& queued : s.queue) need(queued);
  for (const OpenAsk& ask : *s.asks) {
    needed.push_back(ask.version);
    if (ask.has_text) needed.push_back(ask.answer_version);
  }
  for (const StreamVersion version : needed) {
    if (!contains(events, version)) continue;
    return Rejection{RejectionCode::content_in_use,
                     "the agent of " + subject_of(s) + " is yet to be given the text of event " +
                         std::to_string(version.value) +
                         " of its stream; wait for the end of that turn, or kill the session"};
  }
  return std::nullopt;
}

Decided erase(const Deciding& d, const VersionRanges& events, ErasureReason reason) {
  if (auto bad = check_exists(d.session(), d.context)) return tl::unexpected(*bad);
  return decide_erasure<SessionStream>(d.session(), d.context, events, reason);
}

}  // namespace

const ContentState& contents_of(const SessionState& s) {
  return s;
}

std::string subject_of(const SessionState& s) {
  return "session " + label(s);
}

base::Result<VersionRanges, Rejection> erasable_of(const SessionState& s,
                                                   const VersionRanges& asked) {
  if (asked.empty()) {
    if (auto bad = check_over(s)) return tl::unexpected(*bad);
    return normalized({{StreamVersion{1}, s.last_content}});
  }
  VersionRanges named = normalized(asked);
  // A name made from the prompt's words goes with the prompt.
  const StreamVersion name = s.made_name.version;
  if (name.value > 0 && contains(named, name.next())) named = united(named, {{name, name}});
  if (auto bad = check_not_in_use(s, named)) return tl::unexpected(*bad);
  return named;
}

Decided decide_one(const Deciding& d, const EraseContent& c) {
  return erase(d, c.events, ErasureReason::requested);
}

Decided decide_one(const Deciding& d, const ExpireContent&) {
  return erase(d, {}, ErasureReason::retention);
}

Decided decide_one(const Deciding& d, const CompleteErasure& c) {
  return decide_completion<SessionStream>(d.session(), c);
}

}  // namespace domain
