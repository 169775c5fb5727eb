// Decides erasures for each aggregate with texts, which says three things of its state:
//
//   contents_of(state)         its ContentState
//   subject_of(state)          it, in words that go on a sentence: "session a1b2c3d4"
//   erasable_of(state, asked)  the events whose texts go when those of `asked` are to go, as a set;
//                              `asked` empty: when all are to go. Refuses as long as somebody is
//                              yet to be given one of the texts
#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "eventlog/domain/content.hpp"
#include "eventlog/domain/decision.hpp"

namespace domain {

template <class State>
concept HoldsTexts = requires(const State& state, const VersionRanges& asked) {
  { contents_of(state) } -> std::same_as<const ContentState&>;
  { subject_of(state) } -> std::convertible_to<std::string>;
  { erasable_of(state, asked) } -> std::same_as<base::Result<VersionRanges, Rejection>>;
};

namespace detail {

// Refuses events that the stream does not have.
std::optional<Rejection> check_asked(const VersionRanges& asked, StreamVersion last,
                                     const std::string& subject);
// Returns the events of `wanted` whose texts are still there. Refuses if the state would have to
// remember too many stretches.
base::Result<VersionRanges, Rejection> not_erased_yet(const ContentState& contents,
                                                      const VersionRanges& wanted,
                                                      const std::string& subject,
                                                      const Limits& limits);

}  // namespace detail

// Decides a request to erase the texts of these events of the stream; without events, all texts.
template <class Aggregate>
requires HoldsTexts<typename Aggregate::State> Decided
decide_erasure(const typename Aggregate::State& state, const Context& context,
               const VersionRanges& asked, ErasureReason reason) {
  const std::string subject = subject_of(state);
  if (auto bad = detail::check_asked(asked, context.version, subject)) return tl::unexpected(*bad);
  const auto wanted = erasable_of(state, asked);
  if (!wanted) return tl::unexpected(wanted.error());
  auto fresh = detail::not_erased_yet(contents_of(state), *wanted, subject, context.limits);
  if (!fresh) return tl::unexpected(fresh.error());
  Decision decision;
  if (!fresh->empty()) decision.emit<Aggregate>(ContentErased{std::move(*fresh), reason});
  return decision;
}

template <class Aggregate>
requires HoldsTexts<typename Aggregate::State> Decided
decide_completion(const typename Aggregate::State& state, const CompleteErasure& c) {
  const ContentState& contents = contents_of(state);
  Decision decision;
  if (c.through > contents.erasure_completed && c.through <= contents.erasure) {
    decision.emit<Aggregate>(ContentErasureCompleted{c.through});
  }
  return decision;
}

}  // namespace domain
