// Claude Code writes a line for each block of a message. All lines of one call of the model have
// the id of that call, and its use as it was known then.
#include <algorithm>
#include <array>

#include "eventlog/domain/spending.hpp"
#include "workers/stores/message_pieces.hpp"

namespace workers {
namespace {

using domain::ImportedKind;
using domain::MessageImported;

// Kinds of lines without a word of the conversation.
constexpr std::array kSilentKinds = {std::string_view("attachment"),
                                     std::string_view("queue-operation"),
                                     std::string_view("last-prompt"),
                                     std::string_view("file-history-snapshot"),
                                     std::string_view("api-request"),
                                     std::string_view("api-request-blob"),
                                     std::string_view("api-request-shape"),
                                     std::string_view("atis-latch"),
                                     std::string_view("tools-used"),
                                     std::string_view("mode"),
                                     std::string_view("permission-mode"),
                                     std::string_view("progress"),
                                     std::string_view("agent-name"),
                                     std::string_view("agent-color"),
                                     std::string_view("agent-setting"),
                                     std::string_view("tag"),
                                     std::string_view("pr-link"),
                                     std::string_view("worktree-state"),
                                     std::string_view("content-replacement")};

// The counted use of so many calls of the model is kept.
constexpr std::size_t kCountedMax = 64;

constexpr std::array kUsageParts = {&domain::Usage::input_tokens, &domain::Usage::output_tokens,
                                    &domain::Usage::cache_read_tokens,
                                    &domain::Usage::cache_creation_tokens};

// Returns how much the use of the call has grown since it was last counted.
domain::Usage newly_used(const std::string& call, domain::Usage usage,
                         const TranscriptContext& context) {
  for (const auto& [counted_call, counted] : context.counted) {
    if (counted_call != call) continue;
    for (const auto part : kUsageParts) {
      usage.*part = std::max<std::int64_t>(usage.*part - counted.*part, 0);
    }
  }
  return usage;
}

void note_counted(const std::string& call, const domain::Usage& usage, TranscriptContext& context) {
  if (call.empty()) return;
  auto& counted = context.counted;
  const auto known = std::find_if(counted.begin(), counted.end(),
                                  [&](const auto& one) { return one.first == call; });
  if (known != counted.end()) {
    for (const auto part : kUsageParts) domain::add_bounded(known->second.*part, usage.*part);
    return;
  }
  if (counted.size() >= kCountedMax) counted.erase(counted.begin());
  counted.emplace_back(call, usage);
}

MessageImported facts_of(const JsonObject& line, const TranscriptContext& context) {
  MessageImported facts;
  facts.said = time_of(line["timestamp"]);
  facts.turn = context.turn;
  if (context.is_of_subagent || !line["isSidechain"].is_true()) return facts;
  facts.parent = fact_text(line["agentId"]);
  if (facts.parent.empty()) facts.parent = "sidechain";
  return facts;
}

MessagePieces read_assistant(const JsonObject& line, TranscriptContext& context) {
  MessagePieces pieces;
  const JsonObject message = line["message"].object();
  MessageImported facts = facts_of(line, context);
  facts.message = fact_text(line["uuid"]);
  facts.model = fact_text(message["model"]);
  const bool is_of_model = !facts.model.empty() && facts.model != "<synthetic>";
  if (is_of_model && facts.parent.empty()) context.model = facts.model;
  const std::string model_call = message["id"].text();
  facts.usage = newly_used(model_call,
                           usage_of(message["usage"].object(), "input_tokens", "output_tokens",
                                    "cache_read_input_tokens", "cache_creation_input_tokens"),
                           context);
  for (const JsonValue& item : message["content"].items()) {
    const JsonObject block = item.object();
    const std::string type = block["type"].text();
    const std::size_t before = pieces.facts.size();
    if (type == "text") {
      facts.kind = ImportedKind::said;
      pieces.add(facts, block["text"]);
    } else if (type == "thinking") {
      facts.kind = ImportedKind::thought;
      pieces.add(facts, block["thinking"]);
    } else if (type == "tool_use") {
      facts.kind = ImportedKind::tool_call;
      MessageImported call = facts;
      call.call = fact_text(block["id"]);
      call.tool = fact_text(block["name"]);
      pieces.add_source(std::move(call), block["input"]);
    }
    if (pieces.facts.size() > before) facts.usage.reset();
  }
  // A text in place of blocks.
  facts.kind = ImportedKind::said;
  if (message["content"].is_text()) pieces.add(facts, message["content"]);
  if (!pieces.facts.empty()) note_counted(model_call, pieces.facts.front().usage, context);
  return pieces;
}

// True for words in the user's place that the agent's program has put there.
bool is_of_program(const JsonObject& line) {
  return line["isMeta"].is_true() || line["isCompactSummary"].is_true() ||
         line["promptSource"].text() == "system" || line["origin"].object()["kind"].is_text();
}

MessagePieces read_user(const JsonObject& line, TranscriptContext& context) {
  MessagePieces pieces;
  const JsonValue content = line["message"].object()["content"];
  MessageImported facts = facts_of(line, context);
  facts.kind = is_of_program(line) ? ImportedKind::notice : ImportedKind::prompt;
  const auto begin_turn = [&] {
    if (facts.kind != ImportedKind::prompt) return;
    facts.turn = base::TurnId{id_of(line["uuid"].text())};
    if (facts.parent.empty()) context.turn = facts.turn;
  };
  if (content.is_text()) {
    begin_turn();
    pieces.add(facts, content);
    return pieces;
  }
  for (const JsonValue& item : content.items()) {
    const JsonObject block = item.object();
    const std::string type = block["type"].text();
    if (type == "text") {
      begin_turn();
      pieces.add(facts, block["text"]);
    } else if (type == "tool_result") {
      MessageImported result = facts;
      result.kind = ImportedKind::tool_result;
      result.call = fact_text(block["tool_use_id"]);
      result.is_error = block["is_error"].is_true();
      pieces.add_result(std::move(result), block["content"]);
    }
  }
  return pieces;
}

void note_session(const JsonObject& line, TranscriptContext& context) {
  if (line["cwd"].is_text() && context.workdir.empty()) context.workdir = line["cwd"].text();
  if (line["version"].is_text()) context.agent_version = fact_text(line["version"]);
}

}  // namespace

std::optional<MessagePieces> read_claude_line(const JsonObject& line, TranscriptContext& context) {
  note_session(line, context);
  const std::string type = line["type"].text();
  if (type == "assistant") return read_assistant(line, context);
  if (type == "user") return read_user(line, context);
  MessagePieces pieces;
  if (type == "system") {
    MessageImported facts = facts_of(line, context);
    facts.kind = ImportedKind::notice;
    pieces.add(std::move(facts), line["content"]);
    return pieces;
  }
  if (type == "cost-state") {
    context.cost.value = line["totalCostUSD"].billionths();
    return pieces;
  }
  const bool is_title = type == "summary" || type == "custom-title" || type == "ai-title";
  if (is_title) {
    for (const char* key : {"summary", "customTitle", "aiTitle", "title"}) {
      if (line[key].is_text()) context.title = line[key].text();
    }
    return pieces;
  }
  const bool is_silent =
      std::find(kSilentKinds.begin(), kSilentKinds.end(), type) != kSilentKinds.end();
  if (is_silent) return pieces;
  return std::nullopt;
}

}  // namespace workers
