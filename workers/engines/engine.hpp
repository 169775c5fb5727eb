// The port that drives every kind of agent. An engine is a codec for one agent process: whatever
// happens to the agent comes in as one value, and all that follows goes out as one value. It does
// no I/O and reads no clock; the worker owns the process, its pipes and the time. The same inputs
// therefore always give the same outputs.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eventlog/domain/session/commands.hpp"
#include "workers/engines/ask.hpp"
#include "workers/processes/launch_plan.hpp"

namespace engines {

using base::Bytes;
using base::ByteView;
using base::Time;
using base::TurnId;
using domain::Report;
using processes::LaunchPlan;

// ---- inputs ----

// The process was started. Comes first, and once.
struct Begin {};
// A file that goes with a prompt. Given only to engines whose kind takes files.
struct PromptFile {
  std::string name;
  std::string media_type;  // as domain::FileFacts has it
  Bytes data;
};
// A turn begins. The one before has its result. The same turn given twice to one process is run
// once.
struct BeginTurn {
  TurnId turn;
  Bytes prompt;                     // can be empty if there are files
  std::vector<PromptFile> files{};  // which the agent is given before the prompt
  // The agent has the prompt from an earlier process, and goes on by itself with what that one has
  // deferred (Defer). There are no prompt and no files.
  bool is_deferred = false;
};
// A prompt is added to the turn begun last, which has no result yet. Its result answers this
// prompt, too. Given only to engines whose kind is injecting.
struct AddPrompt {
  Bytes prompt;
  std::vector<PromptFile> files{};
};
// The bytes of the last AddPrompt did not reach the agent.
struct TakeBackPrompt {};
// The agent is to end this turn, which runs: the one begun last, or one of its own. The turn's
// result follows as a report.
struct Interrupt {
  TurnId turn;
};
// The host answers what the agent has asked. Each ask gets one answer, unless it is withdrawn.
struct Answer {
  Ask ask;
  bool is_granted = false;
  // If it is granted, JSON: the object that the call is to have for its input, an array with the
  // answers to the questions, in their order, what the request yields, or what hooks change at a
  // step (engines/step_changes.hpp); empty: it is granted as it was asked. Else the reason, which
  // is not empty.
  Bytes text;
};
// Nobody answers the ask for now, which is deferrable: the agent is to end its process without an
// answer. The turn's result names the call, and the next process asks again.
struct Defer {
  Ask ask;
};
// Settings of the session have changed. The agent is told those named, and what it answers follows
// as SettingsTold.
struct Configure {
  std::int64_t number = 0;        // of the change
  std::vector<std::string> keys;  // of spec_settings.hpp, such that are told
  domain::SessionSpec spec;       // has their values
};
// One frame of stdout, as the plan's framing cuts it.
struct FrameCame {
  Bytes frame;
};
// Stdout has ended, or cannot be followed any more. Frames of what the agent wrote meanwhile can
// still come, and then this once more.
struct OutputEnded {};
// The deadline of the last output has passed.
struct TimeIsDue {};

struct Input {
  using Step = std::variant<Begin, BeginTurn, AddPrompt, TakeBackPrompt, Interrupt, Answer, Defer,
                            Configure, FrameCame, OutputEnded, TimeIsDue>;
  Step step;
  Time now;
};

// ---- output ----

// The agent's own state, behind the last input.
struct AgentState {
  std::optional<Time> deadline;  // when TimeIsDue is wanted; none: nothing is due
  // The agent has nothing more to do, but for tasks in the background.
  bool wants_exit = false;
  // Tasks run in the background, or the agent has not dealt with their end. As long as that is
  // allowed, the worker leaves its stdin open.
  bool has_tasks = false;
  // It waits for nothing but what it asks, so that an ask can be deferred.
  bool can_defer = false;

  bool operator==(const AgentState&) const = default;
};

struct Output {
  Bytes writes;  // for the agent's stdin
  std::vector<Report> reports;
  std::vector<Ask> asks;  // new ones
  // Ids of asks that the agent does not wait for any more, for a host that takes its time to
  // answer.
  std::vector<std::string> withdrawn;
  AgentState state;

  bool operator==(const Output&) const = default;
};

// Used by one thread.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual LaunchPlan plan() const = 0;
  // Never fails: a frame that cannot be understood becomes a report itself.
  virtual Output handle(const Input& input) = 0;
};

}  // namespace engines
