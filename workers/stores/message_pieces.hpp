// The pieces of a line's message, as the readers of the forms gather them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workers/engines/json_text.hpp"
#include "workers/stores/line_texts.hpp"
#include "workers/stores/transcript_lines.hpp"

namespace workers {

using engines::JsonObject;
using engines::JsonValue;

struct MessagePieces {
  std::vector<domain::MessageImported> facts;
  std::vector<LineText> texts;  // as many

  // Adds a JSON string. One that is empty is no piece.
  void add(domain::MessageImported fact, const JsonValue& string);
  // Adds a JSON value as its own source.
  void add_source(domain::MessageImported fact, const JsonValue& value);
  // Adds a result, which is a string, or blocks; a single text among these is taken as a string.
  void add_result(domain::MessageImported fact, const JsonValue& content);
};

// Returns a fact of at most kFactBytesMax bytes, UTF-8.
std::string fact_text(const JsonValue& value);
// Returns 0 if the value is no time. Numbers are milliseconds since 1970.
Time time_of(const JsonValue& value);
domain::Usage usage_of(const JsonObject& usage, std::string_view input, std::string_view output,
                       std::string_view cache_read, std::string_view cache_write);
// Returns an id that follows from the text: the one that it writes, else one of its digest.
base::IdBytes id_of(std::string_view text);

// Each returns none if the line is of a kind that it does not know.
std::optional<MessagePieces> read_claude_line(const JsonObject& line, TranscriptContext& context);
std::optional<MessagePieces> read_typed_line(const JsonObject& line, TranscriptContext& context);
std::optional<MessagePieces> read_roles_line(const JsonObject& line, TranscriptContext& context);

}  // namespace workers
