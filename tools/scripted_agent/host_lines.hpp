// What the host says on stdin: prompts are queued, control requests are answered at once.
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
  std::string uuid;  // the host's own id of it; may be empty
};

class HostLines {
 public:
  explicit HostLines(FrameWriter& frames) : frames_(frames) {}

  // Waits for the time to pass (-1: for ever) or for news of the host, whichever is first; reads
  // what there is. True when the whole time has passed.
  bool wait(std::int64_t timeout_ms);

  // What the host wrote, in portions of any size. Any bytes are allowed; where Claude Code would
  // end itself for them, the text that it writes before it does, else nothing.
  std::string_view take(std::string_view bytes);

  bool has_ended() const { return has_ended_; }
  // The next prompt, if one is queued.
  std::optional<Prompt> take_prompt();
  bool is_interrupted() const { return is_interrupted_; }
  void begin_turn() { is_interrupted_ = false; }
  void set_turn_running(bool is_running) { is_turn_running_ = is_running; }
  // A request of ours that an interrupt withdraws; empty for none.
  void set_pending_request(std::string id) { pending_request_ = std::move(id); }
  // The host's answer to a request of ours.
  std::optional<Json> take_answer(const std::string& request_id);

 private:
  void read_some();
  std::string_view take_line(const std::string& line);
  std::string_view take_prompt_line(const Json& frame);
  void take_control(const Json& frame);
  void cancel_queued();

  FrameWriter& frames_;
  std::string held_;  // the start of a line
  bool has_ended_ = false;
  std::deque<Prompt> prompts_;
  std::set<std::string> seen_uuids_;
  std::map<std::string, Json> answers_;
  std::string pending_request_;
  bool is_turn_running_ = false;
  bool is_interrupted_ = false;
};

}  // namespace scripted_agent
