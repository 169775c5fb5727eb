// The request to put a transcript, or more of it, on the record as a session that has ended.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/session/imported.hpp"

namespace domain {

// One ImportTranscript has so many lines and messages at most, and so many bytes of texts; only its
// last line can go beyond these. It is decided in one append.
constexpr std::size_t kImportedLinesMax = 500;
constexpr std::int64_t kImportedBytesMax = std::int64_t{8} << 20;
// A longer line is cut into pieces, which are recorded one after the other.
constexpr std::size_t kImportedLineBytesMax = std::size_t{16} << 20;

struct ImportedMessage {
  MessageImported facts;
  std::string text;

  bool operator==(const ImportedMessage&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("facts", &ImportedMessage::facts);
    visit("text", &ImportedMessage::text);
  }
};

struct ImportedLine {
  LineImported facts;
  std::string text;  // as LineImported's content
  std::vector<ImportedMessage> messages{};

  bool operator==(const ImportedLine&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("facts", &ImportedLine::facts);
    visit("text", &ImportedLine::text);
    visit("messages", &ImportedLine::messages);
  }
};

// Record these lines. The first command opens the session, which has ended with that; the next ones
// go on where it was left.
struct ImportTranscript {
  static constexpr std::string_view kType = "ImportTranscript";
  static constexpr bool kIsLarge = true;
  std::int64_t from_bytes = 0;  // where the lines begin in the file
  TranscriptImported read;      // behind the last one
  // The next six count for the first command alone.
  std::string engine;
  std::string workdir;
  std::string model;          // that the agent has named; empty: it has not
  std::string agent_version;  // likewise
  std::string title;          // the words of the session's name; empty: those of the first prompt
  SessionId parent{};         // the session whose subagent it is; unset: none
  std::vector<ImportedLine> lines{};

  bool operator==(const ImportTranscript&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("from_bytes", &ImportTranscript::from_bytes);
    visit("read", &ImportTranscript::read);
    visit("engine", &ImportTranscript::engine);
    visit("workdir", &ImportTranscript::workdir);
    visit("model", &ImportTranscript::model);
    visit("agent_version", &ImportTranscript::agent_version);
    visit("title", &ImportTranscript::title);
    visit("parent", &ImportTranscript::parent);
    visit("lines", &ImportTranscript::lines);
  }
};

}  // namespace domain
