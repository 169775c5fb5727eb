// Every id is a hash of the session's id and a counter, so that the same input gives the same
// bytes.
#include "tools/scripted_agent/frames.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace scripted_agent {
namespace {

// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t value = 14695981039346656037ULL ^ (seed * 1099511628211ULL);
  for (char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return value;
}

Json start_usage() {
  return {{"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", 0},
          {"service_tier", "standard"},
          {"input_tokens", kInputTokens},
          {"output_tokens", 1}};
}

Json api_message(const std::string& id, const std::string& model, Json content) {
  return {{"id", id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", model},
          {"content", std::move(content)},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr},
          {"usage", start_usage()}};
}

Json usage(std::int64_t calls) {
  return {{"input_tokens", calls * kInputTokens},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", 0},
          {"output_tokens", calls * kOutputTokens},
          {"output_tokens_details", {{"thinking_tokens", 0}}},
          {"server_tool_use", {{"web_search_requests", 0}, {"web_fetch_requests", 0}}},
          {"service_tier", "standard"},
          {"cache_creation", {{"ephemeral_1h_input_tokens", 0}, {"ephemeral_5m_input_tokens", 0}}},
          {"inference_geo", ""},
          {"iterations", Json::array()},
          {"speed", "standard"}};
}

// As Claude Code, it knows the prices of Anthropic's models, beside its own.
bool is_listed(const std::string& model) {
  return model.starts_with("claude-") || model == kModel;
}

Json model_usage(const std::string& model, const Totals& totals) {
  Json one = {{"inputTokens", totals.calls * kInputTokens},
              {"outputTokens", totals.calls * kOutputTokens},
              {"cacheReadInputTokens", 0},
              {"cacheCreationInputTokens", 0},
              {"webSearchRequests", totals.has_other_charges && model == kModel ? 1 : 0},
              {"costUSD", static_cast<double>(totals.nano_usd) / 1e9},
              {"costBasis", is_listed(model) ? "list" : "unknown"},
              {"contextWindow", 200000},
              {"maxOutputTokens", 32000},
              {"thinkingTokens", 0}};
  return {{model, std::move(one)}};
}

}  // namespace

std::string uuid_from(std::string_view text, std::uint64_t number) {
  const std::uint64_t halves[] = {hash(text, number), hash(text, ~number)};
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    out += kDigits[halves[i / 16] >> (60 - 4 * (i % 16)) & 15];
  }
  out[14] = '4';  // version and variant of a random UUID, which hosts can insist on
  out[19] = 'a';
  return out;
}

void FrameWriter::init(const std::string& model, const std::string& permission_mode,
                       const std::string& broken_server) {
  Json servers = Json::array();
  if (!broken_server.empty()) {
    servers.push_back({{"name", broken_server}, {"status", "failed"}, {"source", "user"}});
  }
  model_ = model.empty() ? kModel : model;
  char cwd[4096] = "";
  if (::getcwd(cwd, sizeof cwd) == nullptr) cwd[0] = '\0';
  write({{"type", "system"},
         {"subtype", "init"},
         {"cwd", cwd},
         {"session_id", session_id_},
         {"tools", {"Bash", "Read"}},
         {"mcp_servers", std::move(servers)},
         {"model", model_},
         {"permissionMode", permission_mode.empty() ? "default" : permission_mode},
         {"slash_commands", {"compact", "context"}},
         {"apiKeySource", "none"},
         {"claude_code_version", "scripted"},
         {"output_style", "default"},
         {"agents", Json::array()},
         {"skills", Json::array()},
         {"plugins", Json::array()},
         {"capabilities", Json::array()},
         {"uuid", next_id()}});
}

void FrameWriter::compacted() {
  write({{"type", "system"},
         {"subtype", "compact_boundary"},
         {"session_id", session_id_},
         {"uuid", next_id()},
         {"compact_metadata", {{"trigger", "auto"}, {"pre_tokens", 1000}, {"post_tokens", 100}}}});
}

void FrameWriter::mode(const std::string& permission_mode) {
  write({{"type", "system"},
         {"subtype", "status"},
         {"status", nullptr},
         {"permissionMode", permission_mode},
         {"uuid", next_id()},
         {"session_id", session_id_}});
}

void FrameWriter::informational(const std::string& text, const std::string& call) {
  Json frame = {{"type", "system"},   {"subtype", "informational"}, {"content", text},
                {"level", "warning"}, {"uuid", next_id()},          {"session_id", session_id_}};
  if (!call.empty()) {
    frame["tag"] = "hook_no_verdict";
    frame["hook_no_verdict"] = {
        {"hook_event", "PreToolUse"}, {"tool_use_id", call}, {"timed_out", true}};
  }
  write(frame);
}

void FrameWriter::message_start() {
  message_id_ = "msg_" + next_id();
  stream({{"type", "message_start"}, {"message", api_message(message_id_, model_, Json::array())}});
}

void FrameWriter::stream(Json event) {
  write({{"type", "stream_event"},
         {"event", std::move(event)},
         {"session_id", session_id_},
         {"parent_tool_use_id", nullptr},
         {"uuid", next_id()},
         {"api_message_id", message_id_}});
}

void FrameWriter::assistant(Json block, bool is_aborted) {
  if (message_id_.empty()) message_id_ = "msg_" + next_id();
  Json content = Json::array();
  content.push_back(std::move(block));
  Json frame = {{"type", "assistant"},
                {"message", api_message(message_id_, model_, std::move(content))},
                {"parent_tool_use_id", nullptr},
                {"session_id", session_id_},
                {"uuid", next_id()}};
  if (is_aborted) frame["aborted"] = true;
  write(frame);
}

void FrameWriter::user(Json content, Json tool_use_result) {
  Json list = Json::array();
  list.push_back(std::move(content));
  Json frame = {{"type", "user"},
                {"message", {{"role", "user"}, {"content", std::move(list)}}},
                {"parent_tool_use_id", nullptr},
                {"session_id", session_id_},
                {"uuid", next_id()}};
  if (!tool_use_result.is_null()) frame["tool_use_result"] = std::move(tool_use_result);
  write(frame);
}

void FrameWriter::lifecycle(const std::string& prompt_uuid, const std::string& state) {
  write({{"type", "command_lifecycle"},
         {"command_uuid", prompt_uuid},
         {"state", state},
         {"uuid", next_id()},
         {"session_id", session_id_}});
}

void FrameWriter::tasks(std::size_t count) {
  Json list = Json::array();
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string number = std::to_string(i);
    list.push_back({{"task_id", "task-" + number},
                    {"task_type", "local_bash"},
                    {"description", "Wait " + number}});
  }
  write({{"type", "system"},
         {"subtype", "background_tasks_changed"},
         {"tasks", std::move(list)},
         {"uuid", next_id()},
         {"session_id", session_id_}});
}

void FrameWriter::state(bool is_busy) {
  write({{"type", "system"},
         {"subtype", "session_state_changed"},
         {"state", is_busy ? "running" : "idle"},
         {"uuid", next_id()},
         {"session_id", session_id_}});
}

void FrameWriter::task_ended() {
  write({{"type", "system"},
         {"subtype", "task_notification"},
         {"task_id", "task-1"},
         {"status", "completed"},
         {"output_file", "/dev/null"},
         {"summary", "The task has ended"},
         {"uuid", next_id()},
         {"session_id", session_id_}});
}

void FrameWriter::control_success(const Json& request_id, Json response) {
  write(
      {{"type", "control_response"},
       {"response",
        {{"subtype", "success"}, {"request_id", request_id}, {"response", std::move(response)}}}});
}

void FrameWriter::control_error(const Json& request_id, const std::string& error) {
  write({{"type", "control_response"},
         {"response", {{"subtype", "error"}, {"request_id", request_id}, {"error", error}}}});
}

void FrameWriter::control_request(const std::string& request_id, Json request) {
  write({{"type", "control_request"}, {"request_id", request_id}, {"request", std::move(request)}});
}

void FrameWriter::control_cancel(const std::string& request_id) {
  write({{"type", "control_cancel_request"}, {"request_id", request_id}});
}

void FrameWriter::rate_limit(std::int64_t resets_at) {
  write({{"type", "rate_limit_event"},
         {"rate_limit_info",
          {{"status", "rejected"}, {"resetsAt", resets_at}, {"rateLimitType", "five_hour"}}}});
}

void FrameWriter::result(const TurnOutcome& outcome, const Totals& totals, const Totals& before) {
  const bool is_complete = outcome.subtype == "success";
  Json frame = {{"duration_api_ms", outcome.duration_ms},
                {"stop_reason", nullptr},
                {"session_id", session_id_},
                {"total_cost_usd", static_cast<double>(totals.nano_usd) / 1e9},
                {"usage", usage(outcome.calls)},
                {"modelUsage", model_usage(model_, totals)},
                {"permission_denials", outcome.permission_denials},
                {"is_error", outcome.is_error},
                {"num_turns", outcome.calls},
                {"subtype", outcome.subtype}};
  if (!outcome.terminal_reason.empty()) frame["terminal_reason"] = outcome.terminal_reason;
  if (is_complete) {
    frame["stop_reason"] = outcome.is_error ? "stop_sequence" : "end_turn";
    frame["api_error_status"] = outcome.is_error ? Json(outcome.api_status) : Json(nullptr);
    frame["result"] = outcome.text;
  } else {
    frame["errors"] = Json::array({outcome.text});
  }
  if (!outcome.deferred.is_null()) {
    frame["stop_reason"] = "tool_deferred";
    frame["deferred_tool_use"] = {{"id", outcome.deferred["id"]},
                                  {"name", outcome.deferred["name"]},
                                  {"input", outcome.deferred["input"]}};
  }
  if (!outcome.prompt_uuid.empty()) {
    frame["user_message_uuid"] = outcome.prompt_uuid;
    frame["user_message_uuids"] = Json::array({outcome.prompt_uuid});
  }
  if (outcome.is_own) {
    frame["origin"] = {{"kind", "task-notification"}, {"producer", "session-task"}};
  }
  const Totals since{totals.nano_usd - before.nano_usd, totals.calls - before.calls, 0,
                     totals.has_other_charges};
  frame["model_usage_since_last_result"] =
      since.calls > 0 ? model_usage(model_, since) : Json::object();
  frame["type"] = "result";
  frame["duration_ms"] = outcome.duration_ms;
  frame["uuid"] = next_id();
  frame["queued_turn_count"] = 0;
  frame["result_index"] = totals.results;
  write(frame);
}

void FrameWriter::write(const Json& frame) {
  std::string line = frame.dump(-1, ' ', false, Json::error_handler_t::replace);
  line += '\n';
  out_(line);
}

void write_line(std::string_view line) {
  write_all(STDOUT_FILENO, line);
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) ::_exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace scripted_agent
