// The state of a page of notes, folded from its events.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/note/events.hpp"

namespace domain {

struct NoteState {
  std::int64_t notes = 0;
  ContentState contents;
  AcceptedCommands commands;
  Position inconsistent;  // of the first impossible event; 0 = none

  bool operator==(const NoteState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notes", &NoteState::notes);
    visit("contents", &NoteState::contents);
    visit("commands", &NoteState::commands);
    visit("inconsistent", &NoteState::inconsistent);
  }
};

void evolve(NoteState& state, const Envelope& envelope, const Event& event);
std::optional<AcceptedCommand> known_command(const NoteState& state, const CommandId& command);

// See erasing.hpp.
const ContentState& contents_of(const NoteState& state);
std::string subject_of(const NoteState& state);
base::Result<VersionRanges, Rejection> erasable_of(const NoteState& state,
                                                   const VersionRanges& asked);

}  // namespace domain
