// The frame's type picks a reader; fields that no report needs stay unread.
#include "workers/engines/claude/claude_frames.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "workers/engines/claude/claude_input.hpp"
#include "workers/engines/json_text.hpp"

namespace engines {
namespace {

using domain::OutputKind;

// Frames that only repeat other frames, or that only a screen would show. The table
// tests/golden/claude_frames.tsv says of each why nothing is done with it.
constexpr std::string_view kKnownTypes[] = {
    "active_goal",   "auth_status",      "keep_alive",        "prompt_suggestion",
    "tool_progress", "tool_use_summary", "post_turn_summary", "task_summary"};

// mirror_error and worker_shutting_down are not among them: they tell of a loss and therefore
// belong on the record.
constexpr std::string_view kKnownSystem[] = {"commands_changed",      "control_request_progress",
                                             "elicitation_complete",  "files_persisted",
                                             "hook_progress",         "hook_response",
                                             "hook_started",          "local_command_output",
                                             "memory_recall",         "plugin_install",
                                             "session_title_changed", "autocompact_state",
                                             "task_progress",         "task_started",
                                             "task_updated",          "thinking_tokens",
                                             "ui_invalidate",         "task_summary",
                                             "session_metadata",      "transcript_mirror",
                                             "post_turn_summary"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Returns an unset id for a text that is none.
base::TurnId read_id(const JsonValue& text) {
  return base::TurnId::parse(text.text()).value_or(base::TurnId{});
}

std::vector<base::TurnId> read_ids(const JsonValue& list) {
  std::vector<base::TurnId> ids;
  for (const JsonValue& item : list.items()) ids.push_back(read_id(item));
  std::erase(ids, base::TurnId{});
  return ids;
}

// People read the tasks' descriptions; a few of them tell enough.
constexpr std::size_t kTasksTextMax = 4096;

Frame read_tasks(const JsonValue& tasks) {
  TasksChanged changed;
  for (const JsonValue& task : tasks.items()) {
    const JsonObject fields = task.object();
    ++changed.tasks;
    if (fields["task_type"].text() != "local_bash") ++changed.subagents;
    const std::string what = fields["description"].text();
    const std::size_t bytes = changed.text.size() + what.size();
    if (what.empty() || bytes > kTasksTextMax) continue;
    changed.text += (changed.text.empty() ? "" : "; ") + what;
  }
  return changed;
}

// Returns the agent's milliseconds or seconds as a duration within the log's limit for integers.
base::Duration read_duration(const JsonValue& count, std::int64_t unit_us) {
  return base::Duration{std::min(count.count(), base::kIntegerLimit / unit_us - 1) * unit_us};
}
constexpr std::int64_t kMillisecond = 1000;
constexpr std::int64_t kSecond = 1'000'000;

Frame read_retry(const JsonObject& frame) {
  return Notice{domain::ModelCallRetried{{},
                                         frame["attempt"].count(),
                                         frame["max_retries"].count(),
                                         read_duration(frame["retry_delay_ms"], kMillisecond),
                                         frame["error_status"].count(),
                                         frame["error"].text()}};
}

Frame read_fallback(const JsonObject& frame) {
  return Notice{domain::ModelFellBack{
      {}, frame["original_model"].text(), frame["fallback_model"].text(), frame["trigger"].text()}};
}

Frame read_compaction(const JsonObject& metadata) {
  return Notice{domain::ContextCompacted{{},
                                         metadata["trigger"].text() == "auto",
                                         metadata["pre_tokens"].count(),
                                         metadata["post_tokens"].count()}};
}

Frame read_rate_limit(const JsonObject& info) {
  const base::Duration resets_at = read_duration(info["resetsAt"], kSecond);
  return Notice{domain::RateLimitReported{{},
                                          info["status"].text(),
                                          info["rateLimitType"].text(),
                                          base::Time{resets_at.count()},
                                          {},
                                          info["isUsingOverage"].is_true()}};
}

// A call of the model is no status of its own: the agent says it before each.
Frame read_status(const JsonObject& frame) {
  domain::AgentStatusReported status{
      {}, frame["status"].text(), frame["permissionMode"].text(), frame["compact_error"].text()};
  if (status.status == "requesting") status.status.clear();
  if (status.status.empty() && status.permission_mode.empty() && status.error.empty()) {
    return KnownFrame{};
  }
  return Notice{std::move(status)};
}

// Returns "NAME: STATUS" of each server that is not connected although it should be.
std::vector<std::string> read_broken(const JsonValue& servers) {
  std::vector<std::string> broken;
  for (const JsonValue& server : servers.items()) {
    const JsonObject fields = server.object();
    const std::string status = fields["status"].text();
    if (status == "connected" || status == "pending" || status == "disabled") continue;
    broken.push_back(fields["name"].text() + ": " + status);
  }
  return broken;
}

std::vector<std::string> read_texts(const JsonValue& items) {
  std::vector<std::string> texts;
  for (const JsonValue& item : items.items()) texts.push_back(item.text());
  return texts;
}

// A refused prompt has an outcome in newer versions; in older ones a warning is all that there is.
Frame read_informational(const JsonObject& frame) {
  NoteFrame out;
  out.note.level = frame["level"].text();
  out.note.tag = frame["tag"].text();
  out.note.call = frame["hook_no_verdict"].object()["tool_use_id"].text();
  out.note.text = frame["content"].text();
  const bool is_told =
      frame["prevent_continuation"].is_true() || !frame["prompt_submit_outcome"].is_null();
  out.is_refusal = is_told || (out.note.level == "warning" && out.note.tag.empty());
  return out;
}

Frame read_notification(const JsonObject& frame) {
  return NoteFrame{{{}, "notice", frame["key"].text(), {}, frame["text"].text()}};
}

Frame read_model_refusal(const JsonObject& frame) {
  std::string text = frame["content"].text();
  if (text.empty()) text = frame["api_refusal_explanation"].text();
  if (text.empty()) {
    text = "the model " + frame["original_model"].text() +
           " refuses to answer, and there is no other one to ask";
  }
  return NoteFrame{{{}, "warning", "model_refusal_no_fallback", {}, std::move(text)}};
}

Frame read_system(const JsonObject& frame) {
  const std::string subtype = frame["subtype"].text();
  if (subtype == "init") {
    return InitFrame{
        {frame["session_id"].text(), frame["model"].text(), frame["claude_code_version"].text()},
        read_id(frame["uuid"]),
        read_ids(frame["user_message_uuids"]),
        read_broken(frame["mcp_servers"]),
        read_texts(frame["slash_commands"])};
  }
  if (subtype == "permission_denied") return CallDenied{frame["tool_use_id"].text()};
  if (subtype == "informational") return read_informational(frame);
  if (subtype == "notification") return read_notification(frame);
  if (subtype == "model_refusal_no_fallback") return read_model_refusal(frame);
  if (subtype == "task_notification") {
    return TaskEnded{frame["task_id"].text(), frame["tool_use_id"].text(),
                     !frame["output_file"].text().empty()};
  }
  if (subtype == "status") return read_status(frame);
  if (subtype == "api_retry") return read_retry(frame);
  if (subtype == "model_fallback" || subtype == "model_refusal_fallback") {
    return read_fallback(frame);
  }
  if (subtype == "session_writes_lost") {
    return Notice{domain::TranscriptWritesLost{{}, frame["error_code"].text()}};
  }
  if (subtype == "compact_boundary") return read_compaction(frame["compact_metadata"].object());
  if (subtype == "background_tasks_changed") return read_tasks(frame["tasks"]);
  if (subtype == "session_state_changed") return StateChanged{frame["state"].text() == "idle"};
  if (is_among(kKnownSystem, subtype)) return KnownFrame{};
  return StrangeFrame{};
}

void append_paragraph(std::string& text, const std::string& more) {
  if (!text.empty()) text += '\n';
  text += more;
}

// Returns a tool's result: text, the joined texts of blocks that are all text, or else the JSON.
std::string tool_output(const JsonValue& content) {
  if (content.is_null()) return {};
  if (content.is_text()) return content.text();
  const std::vector<JsonValue> items = content.items();
  std::string joined;
  for (const JsonValue& item : items) {
    const JsonObject block = item.object();
    if (block["type"].text() != "text") return std::string(content.source());
    append_paragraph(joined, block["text"].text());
  }
  return items.empty() ? std::string(content.source()) : joined;
}

// Reads a block of a message. Tools that the model's API runs by itself have names of their own:
// "server_tool_use" and, for instance, "web_search_tool_result".
void read_block(const JsonObject& block, bool is_agent, MessageFrame& message) {
  const std::string type = block["type"].text();
  const auto say = [&](OutputKind kind, std::string text) {
    // An empty block says nothing; thinking that the provider withholds looks like that.
    if (!text.empty()) message.blocks.push_back(domain::ReportOutput{{}, kind, std::move(text)});
  };
  if (type.ends_with("tool_result")) {
    message.blocks.push_back(domain::ReportToolCallFinished{{},
                                                            block["tool_use_id"].text(),
                                                            block["is_error"].is_true(),
                                                            tool_output(block["content"])});
  } else if (!is_agent) {
    return;  // the user's words, or the agent's in the user's name
  } else if (type == "text") {
    say(OutputKind::text, block["text"].text());
  } else if (type == "thinking") {
    say(OutputKind::thinking, block["thinking"].text());
  } else if (type.ends_with("tool_use")) {
    message.blocks.push_back(domain::ReportToolCallStarted{
        {}, block["id"].text(), block["name"].text(), std::string(block["input"].source())});
  } else if (type != "redacted_thinking") {
    message.is_strange = true;
  }
}

domain::Usage read_usage(const JsonObject& usage) {
  return {usage["input_tokens"].count(), usage["output_tokens"].count(),
          usage["cache_read_input_tokens"].count(), usage["cache_creation_input_tokens"].count()};
}

ModelCall read_call(const JsonObject& message) {
  return {message["id"].text(), message["model"].text(), read_usage(message["usage"].object())};
}

Frame read_message(const JsonObject& frame, bool is_agent) {
  MessageFrame message;
  if (is_agent) message.id = frame["uuid"].text();
  message.parent = frame["parent_tool_use_id"].text();
  const JsonObject body = frame["message"].object();
  if (is_agent) message.call = read_call(body);
  const JsonValue content = body["content"];
  if (is_agent && content.is_text()) {
    message.blocks.push_back(domain::ReportOutput{{}, OutputKind::text, content.text()});
  }
  for (const JsonValue& item : content.items()) read_block(item.object(), is_agent, message);
  return message;
}

// Figures of one result beyond these cannot be right: a million dollars, a million million tokens.
constexpr double kDollarsMax = 1e6;
constexpr double kTokensMax = 1e12;

bool is_odd(const JsonValue& figure, double most) {
  return !(figure.number() >= 0 && figure.number() <= most);
}

// Reads what the agent says that it used, by model. Returns false if a figure was left out.
bool read_claims(const JsonObject& by_model, std::vector<ModelClaim>& claims) {
  bool is_right = true;
  for (const auto& [model, value] : by_model.fields()) {
    const JsonObject use = value.object();
    const bool is_odd_model = is_odd(use["costUSD"], kDollarsMax) ||
                              is_odd(use["inputTokens"], kTokensMax) ||
                              is_odd(use["outputTokens"], kTokensMax) ||
                              is_odd(use["cacheReadInputTokens"], kTokensMax) ||
                              is_odd(use["cacheCreationInputTokens"], kTokensMax);
    is_right &= !is_odd_model;
    if (is_odd_model) continue;
    const std::string canonical = use["canonicalModel"].text();
    const std::string basis = use["costBasis"].text();
    claims.push_back(
        {model,
         canonical.empty() ? model : canonical,
         {use["inputTokens"].count(), use["outputTokens"].count(),
          use["cacheReadInputTokens"].count(), use["cacheCreationInputTokens"].count()},
         {use["costUSD"].billionths()},
         use["cacheCreationEphemeral1hInputTokens"].count() == 0 &&
             use["webSearchRequests"].count() == 0,
         basis.empty() ? std::nullopt : std::optional(basis != "unknown")});
  }
  return is_right;
}

// The agent's words for a session, or a message of it, that it does not have.
constexpr std::string_view kUnresumed[] = {"No conversation found with session ID",
                                           "No message found with message.uuid of"};

bool is_unresumed(const domain::ReportTurnResult& result) {
  return result.is_error && result.subtype == "error_during_execution" && result.model_calls == 0 &&
         std::any_of(std::begin(kUnresumed), std::end(kUnresumed),
                     [&](std::string_view words) { return result.text.starts_with(words); });
}

// Reads a result. A failed call of the model's API ends as subtype "success" with is_error set, so
// only is_error decides.
Frame read_result(const JsonObject& frame) {
  ResultFrame out;
  domain::ReportTurnResult& result = out.result;
  result.is_error = frame["is_error"].is_true();
  result.subtype = frame["subtype"].text();
  result.terminal_reason = frame["terminal_reason"].text();
  result.api_status = frame["api_error_status"].count();
  result.usage = read_usage(frame["usage"].object());
  result.agent_total.value = frame["total_cost_usd"].billionths();
  result.model_calls = frame["num_turns"].count();
  result.took = read_duration(frame["duration_ms"], kMillisecond);
  result.text = frame["result"].text();
  for (const JsonValue& error : frame["errors"].items()) {
    append_paragraph(result.text, error.text());
  }
  out.is_unresumed = is_unresumed(result);
  for (const JsonValue& denied : frame["permission_denials"].items()) {
    const JsonObject call = denied.object();
    out.denied.push_back({{}, call["tool_use_id"].text(), call["tool_name"].text()});
  }
  result.deferred = frame["deferred_tool_use"].object()["id"].text();
  out.prompts = read_ids(frame["user_message_uuids"]);
  out.run = read_id(frame["uuid"]);
  out.is_own = !frame["origin"].is_null();
  out.is_cut_off = result.terminal_reason == "aborted_streaming";
  out.has_odd_figures = !read_claims(frame["modelUsage"].object(), out.totals) ||
                        is_odd(frame["total_cost_usd"], kDollarsMax);
  const JsonValue since = frame["model_usage_since_last_result"];
  if (!since.is_null() && !read_claims(since.object(), out.since.emplace())) {
    out.has_odd_figures = true;
  }
  return out;
}

// Takes the main agent's text only: a subagent's would mix with it, and thinking is not output yet.
Frame read_stream_event(const JsonObject& frame) {
  if (!frame["parent_tool_use_id"].is_null()) return KnownFrame{};
  const JsonObject event = frame["event"].object();
  const std::string type = event["type"].text();
  if (type == "message_start") return StreamStarted{read_call(event["message"].object())};
  if (type == "message_delta") {
    const JsonObject usage = event["usage"].object();
    const bool is_last = event["delta"].object()["stop_reason"].text() == "end_turn";
    return CallUsage{read_usage(usage), !usage["input_tokens"].is_null(), is_last};
  }
  if (type != "content_block_delta") return KnownFrame{};
  const JsonObject delta = event["delta"].object();
  if (delta["type"].text() != "text_delta") return KnownFrame{};
  return TextDelta{delta["text"].text()};
}

// Parts of a request beside the call's input that say why it is made, and what could be granted.
constexpr const char* kContextKeys[] = {"permission_suggestions", "blocked_path", "decision_reason",
                                        "decision_reason_type",   "description",  "agent_id"};

// Returns a JSON object of those that the request has; empty: it has none.
base::Bytes read_context(const JsonObject& request) {
  base::Bytes context;
  for (const char* key : kContextKeys) {
    const JsonValue value = request[key];
    if (value.is_null()) continue;
    context.append(context.empty() ? "{\"" : ",\"").append(key).append("\":");
    context.append(value.clean_source());
  }
  if (!context.empty()) context += '}';
  return context;
}

// Parts of a step's input that are kept elsewhere.
constexpr std::string_view kStepKeys[] = {"tool_name", "tool_input"};

// True if the key needs no escapes. The agent's own ones do not.
bool is_plain_key(std::string_view key) {
  return std::all_of(key.begin(), key.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

domain::HookPoint point_of(const JsonObject& request) {
  const std::string name = request["input"].object()["hook_event_name"].text();
  return base::parse_enum<domain::HookPoint>(name).value_or(domain::HookPoint::none);
}

// A step at one of the points that were registered.
Frame read_step(const std::string& id, const JsonObject& request) {
  const JsonObject input = request["input"].object();
  const std::string tool = input["tool_name"].text();
  base::Bytes context;
  for (const auto& [key, value] : input.fields()) {
    const bool is_elsewhere =
        std::find(std::begin(kStepKeys), std::end(kStepKeys), key) != std::end(kStepKeys);
    if (is_elsewhere || !is_plain_key(key)) continue;
    context.append(context.empty() ? "{\"" : ",\"").append(key).append("\":");
    context.append(value.clean_source());
  }
  if (!context.empty()) context += '}';
  // Of other points the agent's id is made up.
  const std::string call = tool.empty() ? std::string() : input["tool_use_id"].text();
  Ask ask{id, AskKind::step, tool, call, input["tool_input"].clean_source(), context};
  ask.point = point_of(request);
  return AgentRequest{std::move(ask), input["agent_id"].text()};
}

// A tool by which the agent asks its user is a question; its answer brings another input.
Frame read_request(const JsonObject& frame) {
  const JsonObject request = frame["request"].object();
  const std::string subtype = request["subtype"].text();
  const std::string call = request["tool_use_id"].text();
  const std::string id = frame["request_id"].text();
  if (subtype == "hook_callback" && is_callback_point(point_of(request))) {
    return read_step(id, request);
  }
  if (subtype != "can_use_tool") {
    return AgentRequest{
        {id, AskKind::request, subtype, call, base::Bytes(frame["request"].source())}};
  }
  const std::string tool = request["tool_name"].text();
  return AgentRequest{
      {id, kind_of_ask(tool), tool, call, request["input"].clean_source(), read_context(request)},
      request["agent_id"].text()};
}

Frame read_response(const JsonObject& frame) {
  const JsonObject response = frame["response"].object();
  return HostAnswered{response["request_id"].text(), response["error"].text(),
                      response["subtype"].text() == "error"};
}

Frame read_lifecycle(const JsonObject& frame) {
  const std::string state = frame["state"].text();
  PromptLifecycle lifecycle;
  lifecycle.prompt = read_id(frame["command_uuid"]);
  if (state == "started") lifecycle.state = PromptState::started;
  if (state == "cancelled") lifecycle.state = PromptState::cancelled;
  lifecycle.is_wake_up = !frame["wakeup_source"].is_null();
  return lifecycle;
}

// Returns the text with U+FFFD in place of each byte that is no UTF-8.
std::string mended(base::ByteView text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const base::ByteView character = text.substr(i, length);
    const bool is_whole = character.size() == length && base::is_utf8(character);
    out += is_whole ? character : "\xEF\xBF\xBD";
    i += is_whole ? length : 1;
  }
  return out;
}

// A request must have an answer, because its agent waits for one. What people see of it is what is
// carried out.
Frame read_broken_text(base::ByteView line) {
  if (line.find("control_request") != base::ByteView::npos) {
    Frame frame = read_frame(mended(line));
    if (std::holds_alternative<AgentRequest>(frame)) return frame;
  }
  return StrangeFrame{domain::LineFault::invalid_utf8};
}

}  // namespace

AskKind kind_of_ask(const std::string& tool) {
  if (tool == "AskUserQuestion") return AskKind::question;
  return tool == "ExitPlanMode" ? AskKind::plan : AskKind::permission;
}

Frame read_frame(base::ByteView line) {
  if (line.find_first_not_of(" \t\r") == base::ByteView::npos) return KnownFrame{};
  if (!base::is_utf8(line)) return read_broken_text(line);
  const JsonLine owned(line);
  const std::optional<JsonObject> frame = owned.object();
  if (!frame) return StrangeFrame{domain::LineFault::not_json};
  const std::string type = (*frame)["type"].text();
  if (type == "stream_event") return read_stream_event(*frame);
  if (type == "assistant") return read_message(*frame, true);
  if (type == "user") return read_message(*frame, false);
  if (type == "result") return read_result(*frame);
  if (type == "system") return read_system(*frame);
  if (type == "control_request") return read_request(*frame);
  if (type == "control_cancel_request") return RequestWithdrawn{(*frame)["request_id"].text()};
  if (type == "control_response") return read_response(*frame);
  if (type == "command_lifecycle") return read_lifecycle(*frame);
  if (type == "rate_limit_event") return read_rate_limit((*frame)["rate_limit_info"].object());
  if (type == "conversation_reset") return ConversationReset{};
  if (is_among(kKnownTypes, type)) return KnownFrame{};
  return StrangeFrame{};
}

}  // namespace engines
