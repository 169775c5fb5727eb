// Requests to a page of notes.
#pragma once

#include "eventlog/domain/note/state.hpp"

namespace domain {

struct WriteNote {
  static constexpr std::string_view kType = "WriteNote";
  std::string text;

  bool operator==(const WriteNote&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("text", &WriteNote::text);
  }
};

// Without events, all notes are erased.
struct EraseNotes {
  static constexpr std::string_view kType = "EraseNotes";
  VersionRanges events;

  bool operator==(const EraseNotes&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("events", &EraseNotes::events);
  }
};

using NoteClientCommands = base::Types<WriteNote, EraseNotes>;
using NoteCommand = std::variant<WriteNote, EraseNotes, CompleteErasure>;

struct NoteReply {
  std::int64_t notes = 0;

  bool operator==(const NoteReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notes", &NoteReply::notes);
  }
};

void reads(const NoteCommand& command, const StreamRef& target, Reads& further);
Decided decide(const NoteCommand& command, const States& states, const Context& context);
NoteReply reply(const NoteState& state, const NoteCommand& command);

}  // namespace domain
