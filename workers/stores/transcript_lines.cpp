// A file's form is that of its first line that has one.
#include "workers/stores/transcript_lines.hpp"

#include <algorithm>
#include <cstring>

#include "eventlog/base/json_depth.hpp"
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "workers/stores/json_check.hpp"
#include "workers/stores/message_pieces.hpp"

namespace workers {
namespace {

using domain::LineReading;
using domain::TranscriptForm;

// Claude Code's lines name their session; those of document B have a message in them, and those of
// document E are entries of a log.
TranscriptForm form_of(const JsonObject& line) {
  if (line["type"].is_text()) {
    const bool is_claude = line["sessionId"].is_text() && !line["cwd"].is_null();
    const std::string type = line["type"].text();
    const bool is_typed = type == "session" || type == "message" || type == "session_created" ||
                          type == "incoming" || type == "outgoing";
    if (is_typed) return TranscriptForm::typed;
    const bool is_known = is_claude || line["uuid"].is_text() || line["leafUuid"].is_text() ||
                          line["sessionId"].is_text() || line["messageId"].is_text();
    return is_known ? TranscriptForm::claude : TranscriptForm::unknown;
  }
  return line["role"].is_text() ? TranscriptForm::roles : TranscriptForm::unknown;
}

std::optional<MessagePieces> read_any(const JsonObject& line, TranscriptContext& context) {
  if (context.form == TranscriptForm::unknown) context.form = form_of(line);
  switch (context.form) {
    case TranscriptForm::claude:
      return read_claude_line(line, context);
    case TranscriptForm::typed:
    case TranscriptForm::roles: {
      // The forms of the documents stand in one file where a later program went on.
      const bool is_typed = line["type"].is_text();
      return is_typed ? read_typed_line(line, context) : read_roles_line(line, context);
    }
    case TranscriptForm::unknown:
      return std::nullopt;
  }
  return std::nullopt;
}

// All that stands before the first prompt is one turn.
void give_turns(MessagePieces& pieces, TranscriptContext& context) {
  for (domain::MessageImported& fact : pieces.facts) {
    if (fact.turn.is_set()) continue;
    if (!context.turn.is_set()) context.turn = base::TurnId{id_of("before the first prompt")};
    fact.turn = context.turn;
  }
}

// Reads a time as programs write it: with an offset behind it, or more digits than microseconds
// have.
std::optional<Time> utc_of(std::string text) {
  std::int64_t offset_us = 0;
  const std::size_t sign = text.find_last_of("+-");
  if (sign != std::string::npos && sign > text.find(':')) {
    std::string clock = text.substr(sign + 1);
    if (clock.size() == 4) clock.insert(2, ":");
    const auto offset = base::parse_time_text("1970-01-01T" + clock);
    if (!offset) return std::nullopt;
    offset_us = text[sign] == '+' ? offset->us : -offset->us;
    text.resize(sign);
  }
  const std::size_t digits = text.find('.') + 1;
  if (digits > 0) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
    if (end - digits > 6) text.erase(digits + 6, end - digits - 6);
  }
  const auto time = base::parse_time_text(text);
  if (!time) return std::nullopt;
  return Time{time->us - offset_us};
}

void note_times(const MessagePieces& pieces, TranscriptContext& context) {
  for (const domain::MessageImported& fact : pieces.facts) {
    if (fact.said.us == 0) continue;
    if (context.began.us == 0) context.began = fact.said;
    context.ended = std::max(context.ended, fact.said);
  }
}

}  // namespace

void MessagePieces::add(domain::MessageImported fact, const JsonValue& string) {
  std::string text = string.text();
  if (text.empty()) return;
  facts.push_back(std::move(fact));
  texts.push_back({std::move(text), string.source(), true});
}

void MessagePieces::add_source(domain::MessageImported fact, const JsonValue& value) {
  if (value.is_null()) return;
  facts.push_back(std::move(fact));
  texts.push_back({std::string(value.source()), value.source(), false});
}

void MessagePieces::add_result(domain::MessageImported fact, const JsonValue& content) {
  const auto blocks = content.items();
  const bool is_text = blocks.size() == 1 && blocks.front().object()["type"].text() == "text";
  if (content.is_text()) return add(std::move(fact), content);
  if (is_text) return add(std::move(fact), blocks.front().object()["text"]);
  add_source(std::move(fact), content);
}

std::string fact_text(const JsonValue& value) {
  return domain::cut_fact(value.text());
}

Time time_of(const JsonValue& value) {
  const std::int64_t us =
      value.is_text() ? utc_of(value.text()).value_or(Time{}).us : value.count() * 1000;
  return {us > 0 && us < base::kIntegerLimit ? us : 0};
}

domain::Usage usage_of(const JsonObject& usage, std::string_view input, std::string_view output,
                       std::string_view cache_read, std::string_view cache_write) {
  return {usage[input].count(), usage[output].count(), usage[cache_read].count(),
          usage[cache_write].count()};
}

base::IdBytes id_of(std::string_view text) {
  if (const auto id = base::parse_id(text)) return *id;
  const base::Hash hash = base::blake2b(text);
  base::IdBytes bytes{};
  std::memcpy(bytes.data(), hash.data(), bytes.size());
  return bytes;
}

TranscriptLine read_transcript_line(std::string_view line, TranscriptContext& context) {
  TranscriptLine read;
  read.line.text = line;
  LineReading& reading = read.line.facts.reading;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return read;
  if (!base::is_utf8(line)) {
    reading = LineReading::invalid_utf8;
    return read;
  }
  reading = LineReading::not_json;
  // The mark of a text that was left out; no JSON has it.
  if (line.find('\x01') != std::string_view::npos) return read;
  if (base::json_depth(line) > base::kJsonDepthMax) return read;
  const engines::JsonLine json(line);
  const auto object = json.object();
  if (!object || !is_json(line)) return read;
  read.kind = fact_text((*object)["type"]);
  auto pieces = read_any(*object, context);
  if (!pieces) {
    reading = LineReading::unknown_kind;
    return read;
  }
  reading = LineReading::understood;
  give_turns(*pieces, context);
  note_times(*pieces, context);
  read.line.text = without_texts(json.text(), pieces->texts);
  for (std::size_t i = 0; i < pieces->facts.size(); ++i) {
    read.line.messages.push_back({std::move(pieces->facts[i]), std::move(pieces->texts[i].text)});
  }
  return read;
}

}  // namespace workers
