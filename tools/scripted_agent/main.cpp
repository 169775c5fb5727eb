// steno-scripted-agent: a real child process for tests and the demo. It speaks Claude Code's
// stream-json protocol on its stdio and does what [keywords] in the prompt say (script.hpp). The
// same input gives the same output, byte for byte, except for the pids that [child] prints, and for
// the order of what a [task] says.
//
// Options: --resume=ID, --session-id=ID, --fork-session, --include-partial-messages, --model=,
// --permission-mode=, --allow-dangerously-skip-permissions; others are ignored. Environment:
//   STENO_SESSION         decides the id of a new session
//   STENO_SCRIPTED_CHILD  =1: starts a sleeping child at once, as [child] does
//   CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS  =1: says when it begins to work, and when it rests
//   STENO_SCRIPTED_RAN    a file that gets a line for each call that is carried out: pid and call
//   STENO_SCRIPTED_STATE  a folder that remembers sessions' costs and limits of use, which then
//                         carry over on resume and fork; resuming an unknown one fails there
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tools/scripted_agent/turn.hpp"

namespace {

using scripted_agent::Json;

// Longer than any test, and short enough to end when a test forgets it.
constexpr int kSleepMs = 600'000;

struct Options {
  scripted_agent::Settings settings;
  std::string resume;
  std::string session_id;
  bool is_fork = false;
  bool is_sleeper = false;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--resume") options.resume = value;
    if (name == "--session-id") options.session_id = value;
    if (name == "--fork-session") options.is_fork = true;
    if (name == "--sleep") options.is_sleeper = true;
    if (name == "--include-partial-messages") options.settings.has_partial_messages = true;
    if (name == "--model") options.settings.model = value;
    if (name == "--permission-mode") options.settings.permission_mode = value;
    if (name == "--allow-dangerously-skip-permissions") options.settings.may_bypass = true;
  }
  options.settings.thinking_tokens = std::atoll(environment("MAX_THINKING_TOKENS").c_str());
  return options;
}

std::string choose_session_id(const Options& options) {
  if (!options.session_id.empty()) return options.session_id;
  if (!options.resume.empty() && !options.is_fork) return options.resume;
  return scripted_agent::uuid_from(environment("STENO_SESSION") + options.resume, 0);
}

std::string state_file(const std::string& session_id) {
  const std::string folder = environment("STENO_SCRIPTED_STATE");
  return folder.empty() ? "" : folder + "/" + session_id + ".json";
}

// Returns false if the session to resume is unknown.
bool load(const std::string& session_id, scripted_agent::Totals& totals) {
  const std::string path = state_file(session_id);
  if (path.empty()) return true;
  std::ifstream file(path);
  const Json state = Json::parse(file, nullptr, false);
  if (!state.is_object()) return false;
  totals.nano_usd = state.value("nano_usd", std::int64_t{0});
  totals.calls = state.value("calls", std::int64_t{0});
  totals.resets_at = state.value("resets_at", std::int64_t{0});
  return true;
}

void store(const std::string& session_id, const scripted_agent::Totals& totals) {
  const std::string path = state_file(session_id);
  if (path.empty()) return;
  std::ofstream(path) << Json{
      {"nano_usd", totals.nano_usd}, {"calls", totals.calls}, {"resets_at", totals.resets_at}};
}

// What a process of the session has left to the next one: the prompt, and the call to make again.
struct Deferred {
  std::string prompt;
  Json call;
};

std::string deferred_file(const std::string& session_id) {
  std::string folder = environment("STENO_SCRIPTED_STATE");
  if (folder.empty() && !environment("HOME").empty()) {
    folder = environment("HOME") + "/.cache/steno-scripted-agent";
  }
  return folder.empty() ? "" : folder + "/" + session_id + ".deferred.json";
}

std::optional<Deferred> take_deferred(const std::string& session_id) {
  const std::string path = deferred_file(session_id);
  std::ifstream file(path);
  const Json known = path.empty() ? Json() : Json::parse(file, nullptr, false);
  if (!known.is_object()) return std::nullopt;
  return Deferred{known.value("prompt", ""), known["call"]};
}

void store_deferred(const std::string& session_id, const std::string& prompt, const Json& call) {
  const std::string path = deferred_file(session_id);
  if (path.empty()) return;
  std::error_code ignored;
  if (call.is_null()) {
    std::filesystem::remove(path, ignored);
    return;
  }
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream(path) << Json{{"prompt", prompt}, {"call", call}};
}

void end_turn(const scripted_agent::TurnOutcome& outcome, const scripted_agent::Script& script,
              scripted_agent::FrameWriter& frames, scripted_agent::Totals& totals) {
  const scripted_agent::Totals before = totals;
  totals.calls += outcome.calls;
  totals.has_other_charges |= script.cost_nano_usd.has_value();
  totals.nano_usd += script.cost_nano_usd.value_or(outcome.calls * scripted_agent::kCallNanoUsd);
  frames.result(outcome, totals, before);
  ++totals.results;
  store(frames.session_id(), totals);
}

std::int64_t now_ms() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The agent at work: prompts in their order, and tasks in the background when they end.
class Agent {
 public:
  Agent(const scripted_agent::Settings& settings, scripted_agent::FrameWriter& frames,
        scripted_agent::HostLines& host, scripted_agent::Totals& totals)
      : frames_(frames), host_(host), totals_(totals), turn_(settings, frames, host) {
    turn_.set_resets_at(totals.resets_at);
  }

  void set_deferred(std::optional<Deferred> left) { left_ = std::move(left); }

  // Works until the host has ended its input and nothing is left to do. Returns the exit code.
  int work();

 private:
  void answer(const scripted_agent::Prompt& prompt);
  void take_up(const Deferred& left);
  void go_on(const scripted_agent::Script& script);
  void say_state(bool is_busy);

  scripted_agent::FrameWriter& frames_;
  scripted_agent::HostLines& host_;
  scripted_agent::Totals& totals_;
  scripted_agent::Turn turn_;
  std::multimap<std::int64_t, scripted_agent::Script> tasks_;  // by the time of their end
  const bool says_states_ = environment("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") == "1";
  std::optional<Deferred> left_;
  bool is_busy_ = false;
  bool is_last_error_ = false;
};

int Agent::work() {
  while (true) {
    const std::int64_t now = now_ms();
    if (!tasks_.empty() && tasks_.begin()->first <= now) {
      const scripted_agent::Script own = tasks_.extract(tasks_.begin()).mapped();
      frames_.task_ended();
      frames_.tasks(tasks_.size());
      go_on(own);
    } else if (left_ && host_.is_initialized()) {
      take_up(*std::exchange(left_, std::nullopt));
    } else if (const auto prompt = host_.take_prompt()) {
      answer(*prompt);
    } else {
      say_state(false);
      if (host_.has_ended() && tasks_.empty()) return is_last_error_ ? 1 : 0;
      host_.wait(tasks_.empty() ? -1 : tasks_.begin()->first - now);
    }
  }
}

void Agent::answer(const scripted_agent::Prompt& prompt) {
  say_state(true);
  if (!prompt.uuid.empty()) frames_.lifecycle(prompt.uuid, "started");
  scripted_agent::Script script = scripted_agent::parse_script(prompt.text);
  const bool is_without_text = prompt.text.empty() && !prompt.blocks.empty();
  if (script.shows_blocks || is_without_text) script.text = prompt.blocks;
  scripted_agent::Script own;
  own.text = script.later.value_or("The task has ended.");
  own.delay_ms = script.delay_ms;
  if (script.task_ms) {
    tasks_.emplace(now_ms() + *script.task_ms, own);
    frames_.tasks(tasks_.size());
  }
  scripted_agent::TurnOutcome outcome = turn_.play(script);
  outcome.prompt_uuid = prompt.uuid;
  store_deferred(frames_.session_id(), prompt.text, outcome.deferred);
  totals_.resets_at = turn_.resets_at();
  end_turn(outcome, script, frames_, totals_);
  if (!prompt.uuid.empty()) frames_.lifecycle(prompt.uuid, "completed");
  is_last_error_ = outcome.is_error;
  if (!script.later || script.task_ms) return;
  frames_.task_ended();
  go_on(own);
}

void Agent::take_up(const Deferred& left) {
  say_state(true);
  const scripted_agent::Script script = scripted_agent::parse_script(left.prompt);
  const scripted_agent::TurnOutcome outcome = turn_.play(script, left.call);
  store_deferred(frames_.session_id(), left.prompt, outcome.deferred);
  end_turn(outcome, script, frames_, totals_);
  is_last_error_ = outcome.is_error;
}

void Agent::go_on(const scripted_agent::Script& script) {
  say_state(true);
  scripted_agent::TurnOutcome outcome = turn_.play(script);
  outcome.is_own = true;
  end_turn(outcome, script, frames_, totals_);
}

void Agent::say_state(bool is_busy) {
  if (std::exchange(is_busy_, is_busy) != is_busy && says_states_) frames_.state(is_busy);
}

int run(Options options) {
  scripted_agent::FrameWriter frames(choose_session_id(options));
  scripted_agent::HostLines host(frames, options.settings);
  scripted_agent::Totals totals;
  if (!options.resume.empty() && !load(options.resume, totals)) {
    scripted_agent::TurnOutcome unknown;
    unknown.is_error = true;
    unknown.subtype = "error_during_execution";
    unknown.text = "No conversation found with session ID: " + options.resume;
    frames.result(unknown, totals, totals);
    scripted_agent::write_all(STDERR_FILENO, unknown.text + "\n");
    return 1;
  }
  if (environment("STENO_SCRIPTED_CHILD") == "1") scripted_agent::start_sleeper(false);

  Agent agent(options.settings, frames, host, totals);
  if (!options.resume.empty()) agent.set_deferred(take_deferred(frames.session_id()));
  return agent.work();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (options.is_sleeper) {
    ::poll(nullptr, 0, kSleepMs);
    return 0;
  }
  return run(options);
}
