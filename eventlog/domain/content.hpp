// The texts of a stream, and their erasure. An aggregate with texts joins ContentEvents:
//
//   using NoteEvents = base::Joined<base::Types<NoteWritten>, ContentEvents>;
//
// Its state holds a ContentState, which fold_content() folds. Its commands include CompleteErasure
// and one that asks for an erasure; erasing.hpp decides both. Nothing else is needed for erasures,
// backups, archives, salvage and restores to treat its streams as they treat sessions.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/envelope.hpp"
#include "eventlog/domain/version_ranges.hpp"

namespace domain {

enum class ErasureReason {
  requested,  // somebody asked for it
  retention,  // the configured retention time is over
  lost,       // it was missing when the log was salvaged
};

// The content of these events of the stream is being removed. All of them come before this one.
// From here on missing content of theirs is no damage.
struct ContentErased {
  static constexpr std::string_view kType = "ContentErased";
  VersionRanges events;  // see is_proper
  ErasureReason reason = ErasureReason::requested;

  bool operator==(const ContentErased&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("events", &ContentErased::events);
    visit("reason", &ContentErased::reason);
  }
};

// No file holds the content named by the stream's ContentErased events up to version `through`.
struct ContentErasureCompleted {
  static constexpr std::string_view kType = "ContentErasureCompleted";
  StreamVersion through;

  bool operator==(const ContentErasureCompleted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("through", &ContentErasureCompleted::through);
  }
};

// The events of an aggregate whose events can have a text.
using ContentEvents = base::Types<ContentErased, ContentErasureCompleted>;

// True if the aggregate's events can have texts.
template <class Aggregate>
inline constexpr bool kHasTexts = base::kHasAll<ContentEvents, typename Aggregate::Events>;

// Sent by the server, only once no file holds the content named by the stream's ContentErased
// events up to that version.
struct CompleteErasure {
  static constexpr std::string_view kType = "CompleteErasure";
  static constexpr CommandClass kClass = CommandClass::control;
  StreamVersion through;

  bool operator==(const CompleteErasure&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("through", &CompleteErasure::through);
  }
};

// The texts of one stream, as its own events tell of them.
struct ContentState {
  StreamVersion last_content;          // version of the last event that has or had content
  base::Sparse<VersionRanges> erased;  // events whose content was erased
  StreamVersion erasure;               // version of the last ContentErased; 0: none
  StreamVersion erasure_completed;     // version of the last completed one; 0: none

  bool operator==(const ContentState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("last_content", &ContentState::last_content);
    visit("erased", &ContentState::erased);
    visit("erasure", &ContentState::erasure);
    visit("erasure_completed", &ContentState::erasure_completed);
  }
};

// As an aggregate's apply: false for an impossible fact, and nothing is changed then.
bool fold_content(ContentState& s, const Envelope& envelope, const ContentErased& e);
bool fold_content(ContentState& s, const Envelope& envelope, const ContentErasureCompleted& e);
// Call it with each event of the stream.
void note_content(ContentState& s, const Envelope& envelope);

}  // namespace domain

template <>
struct base::EnumNames<domain::ErasureReason> {
  static constexpr std::string_view kNames[] = {"requested", "retention", "lost"};
};
