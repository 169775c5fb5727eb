// The host's lines on stdin: prompts are queued, control requests are answered at once.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tools/scripted_agent/frames.hpp"

namespace scripted_agent {

struct Prompt {
  std::string text;
  std::string uuid;  // the host's own id for it; can be empty
  // Its blocks in words, each as "[document notes.txt text/plain 12 bytes 5f3a0c11]": kind, title,
  // media type, size, and the FNV-1a hash of the data as it came; empty: it has none.
  std::string blocks{};
};

struct Settings {
  bool has_partial_messages = false;
  std::string model;
  std::string permission_mode;
  bool may_bypass = false;  // the host can set the mode bypassPermissions
  std::int64_t thinking_tokens = 0;
};

class HostLines {
 public:
  // The host changes `settings` while the agent works. Both outlive the lines.
  HostLines(FrameWriter& frames, Settings& settings) : frames_(frames), settings_(settings) {}

  // Waits until the time is over (-1: never) or the host has sent something, and reads that.
  // Returns true if the whole time has passed.
  bool wait(std::int64_t timeout_ms);

  // Takes the host's output, in pieces of any size and with any bytes. Returns the text that Claude
  // Code writes before it ends itself on such input; else empty.
  std::string_view take(std::string_view bytes);

  bool has_ended() const { return has_ended_; }
  // Returns the next prompt if one is queued.
  std::optional<Prompt> take_prompt();
  bool is_interrupted() const { return is_interrupted_; }
  void begin_turn() { is_interrupted_ = false; }
  void set_turn_running(bool is_running) { is_turn_running_ = is_running; }
  // Sets the request of ours that an interrupt withdraws; empty: none.
  void set_pending_request(std::string id) { pending_request_ = std::move(id); }
  // Returns the callback that the host wants to be asked at that point; empty: none. `tool`: the
  // one that is called; empty: none is.
  std::string callback_of(const std::string& point, const std::string& tool) const;
  // True once the host has said what it wants of the process.
  bool is_initialized() const { return is_initialized_; }
  // Returns the host's answer to a request of ours.
  std::optional<Json> take_answer(const std::string& request_id);

 private:
  void read_some();
  std::string_view take_line(const std::string& line);
  std::string_view take_prompt_line(const Json& frame);
  void take_control(const Json& frame);
  void set_mode(const Json& id, const std::string& mode);
  void cancel_queued();

  FrameWriter& frames_;
  Settings& settings_;
  std::string held_;  // the start of a line
  bool has_ended_ = false;
  std::deque<Prompt> prompts_;
  std::set<std::string> seen_uuids_;
  std::map<std::string, Json> answers_;
  std::string pending_request_;
  struct Callback {
    std::string id;
    std::string tools;  // with bars between them; empty: all
  };
  std::map<std::string, Callback> callbacks_;  // by point
  bool is_initialized_ = false;
  bool is_turn_running_ = false;
  bool is_interrupted_ = false;
};

}  // namespace scripted_agent
