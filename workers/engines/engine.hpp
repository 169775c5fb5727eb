// The port that every kind of agent is driven through. An engine is a codec for one agent process:
// bytes for its stdin come out, its stdout lines go in and become reports that are the same for all
// engines. It does no I/O and reads no clock; the worker owns the process, its pipes and the time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/session/commands.hpp"

namespace engines {

using base::Bytes;
using base::ByteView;
using base::Time;
using base::TurnId;
using domain::Report;

// What is the same for all sessions of one engine on this machine.
struct EngineSettings {
  std::vector<std::string> program;  // the start of argv; the first is the executable's path
  std::string home;                  // the agent's HOME; empty: the worker's own
  bool keeps_off_network = true;     // the agent talks to its model's API and to nothing else
  // "NAME=value" each. What the worker was started with (only what an agent needs is passed on),
  // and what the operator wants set whatever else would be.
  std::vector<std::string> inherited_environment;
  std::vector<std::string> environment;
};

// What is particular to the one agent process.
struct SessionLaunch {
  domain::SessionSpec spec;
  std::string resume_agent_session;  // as the lease says; empty: as the spec says
  std::string system_prompt;         // added to the agent's own; empty: none
  std::string temp_folder;           // private to the session; empty: not set for the agent
  std::string runtime_folder;        // likewise
};

struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // all of it, "NAME=value", sorted; nothing is inherited

  bool operator==(const Launch&) const = default;
};

// Used by one thread. The process is started with launch(), then written start(), then a
// begin_turn() for each turn, the next one only after the result of the one before.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual Launch launch() const = 0;
  // First bytes for stdin; may be empty.
  virtual Bytes start() = 0;
  // The same turn given twice to one process is run once.
  virtual Bytes begin_turn(TurnId turn, ByteView prompt) = 0;
  // Asks the agent to end the running turn; the turn's result follows as a report.
  virtual Bytes interrupt() = 0;

  // One line of stdout without its line feed. Never fails: a line that cannot be understood is
  // itself a report. Call take_writes() afterwards.
  virtual std::vector<Report> on_line(ByteView line, Time now) = 0;
  // To be called at deadline() or later; unset: nothing is due.
  virtual std::vector<Report> on_time(Time now) = 0;
  virtual std::optional<Time> deadline() const = 0;
  // Stdout has ended: what was said and not yet reported.
  virtual std::vector<Report> on_end() = 0;
  // What the agent is to be answered on stdin since the last call; often empty.
  virtual Bytes take_writes() = 0;

  // True once there is nothing more for the agent to do: the worker closes its stdin.
  virtual bool wants_exit() const = 0;
};

}  // namespace engines
