// A page of notes: the smallest possible aggregate with texts.
#pragma once

#include "eventlog/domain/note/commands.hpp"

namespace domain {

struct NoteStream {
  using State = NoteState;
  using Events = NoteEvents;
  using Command = NoteCommand;
  using ClientCommands = NoteClientCommands;
  using Reply = NoteReply;
  static constexpr std::string_view kPattern = "{agent}/note/{id}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "note";
};

}  // namespace domain
