// The forms of the documents' transcripts: lines tagged by a type, lines tagged by a role, those of
// a role with "tool_calls", and the log of document E.
#include "eventlog/domain/spending.hpp"
#include "workers/stores/message_pieces.hpp"

namespace workers {
namespace {

using domain::ImportedKind;
using domain::MessageImported;

std::optional<ImportedKind> kind_of(const std::string& role) {
  if (role == "user") return ImportedKind::prompt;
  if (role == "assistant") return ImportedKind::said;
  if (role == "tool" || role == "toolResult") return ImportedKind::tool_result;
  if (role == "system" || role == "developer") return ImportedKind::notice;
  return std::nullopt;
}

void note_usage(MessageImported& facts, const JsonObject& usage) {
  if (usage.fields().empty()) return;
  facts.usage = usage["inputTokens"].is_null()
                    ? usage_of(usage, "input", "output", "cacheRead", "cacheWrite")
                    : usage_of(usage, "inputTokens", "outputTokens", "cacheRead", "cacheWrite");
}

void note_cost(const JsonObject& usage, TranscriptContext& context) {
  const JsonValue cost = usage["cost"];
  const JsonValue total = cost.source().starts_with('{') ? cost.object()["total"] : cost;
  domain::add_bounded(context.cost.value, total.billionths());
}

void add_block(MessagePieces& pieces, MessageImported facts, const JsonObject& block) {
  const std::string type = block["type"].text();
  if (type == "text") {
    pieces.add(std::move(facts), block["text"]);
  } else if (type == "thinking") {
    facts.kind = ImportedKind::thought;
    pieces.add(std::move(facts), block["thinking"]);
  } else if (type == "toolCall" || type == "tool_use") {
    facts.kind = ImportedKind::tool_call;
    facts.call = fact_text(block["id"]);
    facts.tool = fact_text(block["name"]);
    pieces.add_source(std::move(facts), block[type == "toolCall" ? "arguments" : "input"]);
  } else if (type == "tool_result") {
    facts.kind = ImportedKind::tool_result;
    facts.call = fact_text(block["tool_use_id"]);
    facts.is_error = block["is_error"].is_true();
    pieces.add_result(std::move(facts), block["content"]);
  }
}

// `line` has the time and the id, `message` has role and content.
std::optional<MessagePieces> read_message(const JsonObject& line, const JsonObject& message,
                                          TranscriptContext& context) {
  const auto kind = kind_of(message["role"].text());
  if (!kind) return std::nullopt;
  MessagePieces pieces;
  MessageImported facts;
  facts.kind = *kind;
  facts.said = time_of(line["timestamp"].is_null() ? message["timestamp"] : line["timestamp"]);
  facts.message = fact_text(line["id"]);
  facts.model = fact_text(message["model"]);
  if (!facts.model.empty()) context.model = facts.model;
  if (*kind == ImportedKind::prompt) {
    context.turn = base::TurnId{id_of(facts.message.empty() ? line["timestamp"].source()
                                                            : std::string_view(facts.message))};
  }
  facts.turn = context.turn;
  const JsonObject usage = (line["usage"].is_null() ? message["usage"] : line["usage"]).object();
  note_usage(facts, usage);
  note_cost(usage, context);
  const JsonValue content = message["content"];
  if (*kind == ImportedKind::tool_result) {
    facts.call =
        fact_text(message[message["toolCallId"].is_null() ? "tool_call_id" : "toolCallId"]);
    facts.is_error = message["isError"].is_true();
    pieces.add_result(std::move(facts), content);
    return pieces;
  }
  if (content.is_text()) pieces.add(facts, content);
  const auto forget_usage = [&] {
    if (!pieces.facts.empty()) facts.usage.reset();
  };
  forget_usage();
  for (const JsonValue& item : content.items()) {
    add_block(pieces, facts, item.object());
    forget_usage();
  }
  for (const JsonValue& item : message["tool_calls"].items()) {
    const JsonObject call = item.object();
    const JsonObject function = call["function"].object();
    MessageImported begun = facts;
    begun.kind = ImportedKind::tool_call;
    begun.call = fact_text(call["id"]);
    begun.tool = fact_text(function["name"]);
    pieces.add(std::move(begun), function["arguments"]);
    forget_usage();
  }
  return pieces;
}

// A message of document E's log. An answer belongs to the message before it.
MessagePieces read_logged(const JsonObject& line, bool is_prompt, TranscriptContext& context) {
  MessageImported facts;
  facts.kind = is_prompt ? ImportedKind::prompt : ImportedKind::said;
  facts.said = time_of(line[is_prompt ? "receivedAt" : "sentAt"]);
  facts.message = fact_text(line["messageId"]);
  const JsonValue id = line[facts.message.empty() ? "receivedAt" : "messageId"];
  if (is_prompt)
    context.turn = base::TurnId{id_of(id.is_text() ? id.text() : std::string(id.source()))};
  facts.turn = context.turn;
  MessagePieces pieces;
  pieces.add(std::move(facts), line["text"]);
  return pieces;
}

}  // namespace

std::optional<MessagePieces> read_typed_line(const JsonObject& line, TranscriptContext& context) {
  const std::string type = line["type"].text();
  if (type == "message") return read_message(line, line["message"].object(), context);
  if (type == "session") {
    if (line["cwd"].is_text()) context.workdir = line["cwd"].text();
    return MessagePieces{};
  }
  if (type == "incoming" || type == "outgoing") {
    return read_logged(line, type == "incoming", context);
  }
  MessagePieces pieces;
  if (type == "compaction") {
    MessageImported facts;
    facts.kind = ImportedKind::notice;
    facts.said = time_of(line["timestamp"]);
    facts.turn = context.turn;
    pieces.add(std::move(facts), line["summary"]);
    return pieces;
  }
  const bool is_silent = type == "model_change" || type == "thinking_level_change" ||
                         type == "custom" || type == "session_created" || type == "state";
  if (is_silent) return pieces;
  return std::nullopt;
}

std::optional<MessagePieces> read_roles_line(const JsonObject& line, TranscriptContext& context) {
  return read_message(line, line, context);
}

}  // namespace workers
