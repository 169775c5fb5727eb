// Plays one script as one turn.
#pragma once

#include "tools/scripted_agent/frames.hpp"
#include "tools/scripted_agent/host_lines.hpp"
#include "tools/scripted_agent/script.hpp"

namespace scripted_agent {

class Turn {
 public:
  Turn(const Settings& settings, FrameWriter& frames, HostLines& host)
      : settings_(settings), frames_(frames), host_(host) {}

  // Plays the script and returns how the turn ended; the caller writes the result frame. Does not
  // return if the script ends the process. `deferred`: the first call, which an earlier process has
  // made; null: there is none.
  TurnOutcome play(const Script& script, const Json& deferred = nullptr);

  // The end of the provider's limit, in seconds of Unix time; 0: it has refused nothing yet.
  std::int64_t resets_at() const { return resets_at_; }
  void set_resets_at(std::int64_t resets_at) { resets_at_ = resets_at; }

 private:
  bool pause(std::int64_t ms);
  // True if the provider refuses calls now.
  bool is_limited(const Script& script);
  void play_oddities(const Script& script);
  void play_tools(const Script& script);
  struct Permission {
    bool is_given = false;
    Json input;           // that the call gets
    std::string message;  // why it is not given
  };
  // `reason`: the hook's that has people asked; empty: none does.
  Permission ask(const Json& tool_use, const std::string& reason = {});
  // Returns the host's answer to a request of ours; none: it was interrupted.
  std::optional<Json> request(Json body);
  // Returns what the host answers at that point; an empty object: it does not want to be asked.
  Json hook(const std::string& point, Json input, const Json& tool_use);
  Permission before_call(Json& tool_use);
  // Returns the result as the host leaves it.
  std::string after_call(const Script& script, const Json& tool_use, std::string result);
  void end_subagent(const std::string& task);
  bool goes_on_behind(const std::string& answer);
  void play_text(const Script& script);
  void stream_text(const Script& script, std::string& sent);
  void end_message(const Json& stop_reason);
  void stream(Json event);
  void end_process(const Script& script);
  TurnOutcome refused(const std::string& why);
  TurnOutcome interrupted(bool is_in_tool);

  const Settings& settings_;
  FrameWriter& frames_;
  HostLines& host_;
  TurnOutcome outcome_;
  Json deferred_;
  bool is_in_tool_ = false;
  std::string heard_;  // what hooks have told the model
  std::int64_t resets_at_ = 0;
};

// Starts this program again as a child that only sleeps, in a session and a process group of its
// own; returns its pid.
int start_sleeper(bool is_bare);

}  // namespace scripted_agent
