// Writes the scripted agent's lines: Claude Code's stream-json output, with the fields that a host
// reads. Their content depends only on the session id and on counters.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace scripted_agent {

using Json = nlohmann::ordered_json;

inline constexpr char kModel[] = "scripted-1";     // unless the host names another one
inline constexpr std::int64_t kInputTokens = 100;  // of each call of the simulated model
inline constexpr std::int64_t kOutputTokens = 20;
inline constexpr std::int64_t kCallNanoUsd = 800'000;  // cost of such a call

// Returns a UUID that depends only on the text and the number.
std::string uuid_from(std::string_view text, std::uint64_t number);

// Totals over the whole process, with the past of resumed sessions.
struct Totals {
  std::int64_t nano_usd = 0;
  std::int64_t calls = 0;
  std::int64_t results = 0;
  bool has_other_charges = false;  // beside those for tokens
  std::int64_t resets_at = 0;      // of a limit of use, in seconds of Unix time; 0: there was none
};

struct TurnOutcome {
  bool is_error = false;
  std::string subtype = "success";
  std::string terminal_reason = "completed";  // empty: the frame does not say it
  std::string text;                           // the answer, or the error
  std::int64_t calls = 0;
  std::int64_t duration_ms = 0;
  std::string prompt_uuid;        // may be empty
  bool is_own = false;            // no prompt began the turn
  std::int64_t api_status = 400;  // of an error
  Json permission_denials = Json::array();
  Json deferred;  // the call that the next process of the session makes again; null: none
};

// Writes one line to stdout, waiting for room. Ends the process if the reader has gone.
void write_line(std::string_view line);

class FrameWriter {
 public:
  // `out` receives each finished line.
  explicit FrameWriter(std::string session_id, void (*out)(std::string_view) = write_line)
      : session_id_(std::move(session_id)), out_(out) {}

  const std::string& session_id() const { return session_id_; }
  std::string next_id() { return uuid_from(session_id_, ++made_); }

  void mode(const std::string& permission_mode);
  // The agent has made its context smaller by itself.
  void compacted();
  // `broken_server`: the name of an MCP server that has failed; empty: there is none.
  void init(const std::string& model, const std::string& permission_mode,
            const std::string& broken_server);
  // Tells the host something. `call`: the tool call on which a hook gave no verdict; empty: none.
  void informational(const std::string& text, const std::string& call);
  void message_start();
  void stream(Json event);
  void assistant(Json block, bool is_aborted);
  void user(Json content, Json tool_use_result = nullptr);
  // Reports the state of a prompt with an id: "queued", "started", "completed", "cancelled".
  void lifecycle(const std::string& prompt_uuid, const std::string& state);
  // Reports how many tasks run in the background.
  void tasks(std::size_t count);
  // The provider refuses calls until then, in seconds of Unix time.
  void rate_limit(std::int64_t resets_at);
  // Reports that one has ended.
  void task_ended();
  // Reports that the agent begins to work, or comes to rest.
  void state(bool is_busy);
  void control_success(const Json& request_id, Json response);
  void control_error(const Json& request_id, const std::string& error);
  void control_request(const std::string& request_id, Json request);
  void control_cancel(const std::string& request_id);
  // `before`: the totals before the turn.
  void result(const TurnOutcome& outcome, const Totals& totals, const Totals& before);

 private:
  void write(const Json& frame);

  std::string session_id_;
  void (*out_)(std::string_view);
  std::string model_ = kModel;
  std::string message_id_;
  std::uint64_t made_ = 0;
};

// Writes all bytes to a descriptor, waiting for room. Ends the process if the reader has gone.
void write_all(int fd, std::string_view bytes);

}  // namespace scripted_agent
