// Facts of a session that Steno has read from a transcript which others wrote: an agent's own, or
// one of the documents. Such a session has ended, and is searched, read and resumed as any other.
//
// A transcript is recorded line by line, so that all of its bytes can be given back. What a line
// says follows it, an event for each piece.
#pragma once

#include <string>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/sparse.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

enum class TranscriptForm : std::uint8_t {
  unknown,
  claude,  // Claude Code's own
  typed,   // document B: {"type": "message", "message": {role, content}}
  roles,   // {"role", "content"}, with "tool_calls"
};

// The lines that follow were read from a transcript, up to there. The next import begins there.
struct TranscriptImported {
  static constexpr std::string_view kType = "TranscriptImported";
  TranscriptForm form = TranscriptForm::unknown;
  std::string file;           // its path, as the import was told
  std::string agent_session;  // the agent's own session; empty: none can go on with it
  std::int64_t bytes = 0;     // read so far
  std::int64_t lines = 0;     // likewise
  bool is_within = false;     // more of the last line is behind it
  std::int64_t unread = 0;    // of these lines: those that were not understood
  base::Hash tail{};          // BLAKE2b-256 of the last kTailBytesMax bytes that were read
  Time began;                 // when the first of its messages was said; 0: no message says it
  Time ended;                 // likewise the last one
  NanoUsd cost;               // by the agent's own figure; 0: not said
  TurnId turn;                // of the last prompt; unset: there was none

  bool operator==(const TranscriptImported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("form", &TranscriptImported::form);
    visit("file", &TranscriptImported::file);
    visit("agent_session", &TranscriptImported::agent_session);
    visit("bytes", &TranscriptImported::bytes);
    visit("lines", &TranscriptImported::lines);
    visit("within", &TranscriptImported::is_within);
    visit("unread", &TranscriptImported::unread);
    visit("tail", &TranscriptImported::tail);
    visit("began", &TranscriptImported::began);
    visit("ended", &TranscriptImported::ended);
    visit("cost", &TranscriptImported::cost);
    visit("turn", &TranscriptImported::turn);
  }
};

constexpr std::size_t kTailBytesMax = std::size_t{64} << 10;

enum class LineReading : std::uint8_t {
  understood,
  unknown_kind,
  not_json,
  invalid_utf8,
  cut_short,  // the file ends within it
  too_long,
};

// Content: the line. Where it is understood, the texts of its messages are left out of it, and
// stand in the MessageImported events that follow. The bytes 01 q n 01 stand for the text of the
// n-th of them, written as a JSON string, and 01 r n 01 for that text as it is.
struct LineImported {
  static constexpr std::string_view kType = "LineImported";
  std::int64_t line = 0;  // its number in the file, from 1; 0: an index's entry for the file
  LineReading reading = LineReading::understood;
  bool goes_on = false;  // the line is longer than an event's text; the next event has more of it
  bool is_open = false;  // the file ends without a line feed behind it

  bool operator==(const LineImported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("line", &LineImported::line);
    visit("reading", &LineImported::reading);
    visit("goes_on", &LineImported::goes_on);
    visit("open", &LineImported::is_open);
  }
};

enum class ImportedKind : std::uint8_t {
  prompt,
  said,
  thought,
  tool_call,
  tool_result,
  notice,  // told by the agent's program, such as the summary of a conversation
};

// A piece of what the last LineImported says.
// Content: the words; of a tool's call its input, JSON; of a result JSON or text.
struct MessageImported {
  static constexpr std::string_view kType = "MessageImported";
  ImportedKind kind = ImportedKind::prompt;
  Time said;              // wall time; 0: not said
  TurnId turn;            // of the prompt that it is, or that it answers
  std::string message{};  // the agent's id of it, at which a resume can go on; empty: it has none
  std::string call{};     // of a tool's call and its result
  std::string tool{};     // of a call
  std::string parent{};   // as OutputRecorded has it
  bool is_error = false;  // of a result
  std::string model{};    // that said it; empty: not said
  // The first message of a model's call has the call's usage. The others have none.
  base::Sparse<Usage> usage{};

  bool operator==(const MessageImported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("kind", &MessageImported::kind);
    visit("said", &MessageImported::said);
    visit("turn", &MessageImported::turn);
    visit("message", &MessageImported::message);
    visit("call", &MessageImported::call);
    visit("tool", &MessageImported::tool);
    visit("parent", &MessageImported::parent);
    visit("error", &MessageImported::is_error);
    visit("model", &MessageImported::model);
    visit("usage", &MessageImported::usage);
  }
};

}  // namespace domain

template <>
struct base::EnumNames<domain::TranscriptForm> {
  static constexpr std::string_view kNames[] = {"unknown", "claude", "typed", "roles"};
};
template <>
struct base::EnumNames<domain::LineReading> {
  static constexpr std::string_view kNames[] = {"understood",   "unknown_kind", "not_json",
                                                "invalid_utf8", "cut_short",    "too_long"};
};
template <>
struct base::EnumNames<domain::ImportedKind> {
  static constexpr std::string_view kNames[] = {"prompt",    "said",        "thought",
                                                "tool_call", "tool_result", "notice"};
};
