// Reads the lines of transcripts: Claude Code's own, and those of the documents.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventlog/domain/session/importing.hpp"

namespace workers {

using base::Time;

// What the lines so far say of those that follow.
struct TranscriptContext {
  domain::TranscriptForm form = domain::TranscriptForm::unknown;
  bool is_of_subagent = false;  // the whole file is
  base::TurnId turn;            // of the last prompt; unset: there was none
  // The use that pieces have told of the last calls, by the model's id of each call.
  std::vector<std::pair<std::string, domain::Usage>> counted;
  // As the last line that says it; empty or 0: none does.
  std::string workdir;
  std::string model;
  std::string agent_version;
  std::string title;
  base::NanoUsd cost;
  Time began;  // when the first message was said
  Time ended;  // likewise the last one
};

// A line that was read.
struct TranscriptLine {
  domain::ImportedLine line;
  std::string kind;  // the line's own word for what it is; empty: none
};

// Reads one line, without its line feed. It is understood, or kept as it is; see LineReading.
TranscriptLine read_transcript_line(std::string_view line, TranscriptContext& context);

}  // namespace workers
