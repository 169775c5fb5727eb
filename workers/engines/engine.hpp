// The port that drives every kind of agent. An engine is a codec for one agent process: it makes
// bytes for stdin, and turns lines of stdout into reports that are the same for all engines. It
// does no I/O and reads no clock; the worker owns the process, its pipes and the time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/session/commands.hpp"
#include "workers/engines/prices.hpp"

namespace engines {

using base::Bytes;
using base::ByteView;
using base::Time;
using base::TurnId;
using domain::Report;

// Settings that are the same for all sessions of one engine on this machine.
struct EngineSettings {
  std::vector<std::string> program;  // the start of argv; the first is the executable's path
  std::string home;                  // the agent's HOME; empty: the worker's own
  bool keeps_off_network = true;     // the agent talks to its model's API only
  // "NAME=value" each. The first is the worker's own environment, of which only what an agent needs
  // is passed on. The second is the operator's, which overrides all else.
  std::vector<std::string> inherited_environment{};
  std::vector<std::string> environment{};
  // Variables of the worker's environment that are passed on beside those that an agent needs.
  std::vector<std::string> passed_names{};
  bool is_sandboxed = false;  // it runs where it can do no harm, such as in a container
  PriceTable prices{};
};

// Settings of one agent process.
struct SessionLaunch {
  domain::SessionSpec spec;
  std::string resume_agent_session;  // as the lease says; empty: as the spec says
  std::string system_prompt;         // added to the agent's own; empty: none
  std::string temp_folder;           // private to the session; empty: not set for the agent
  std::string runtime_folder;        // likewise
  base::FencingToken token{1};       // of the lease; tells the session's processes apart
  std::string last_message{};        // that the agent session should have; empty: not known
  bool is_shared = false;            // others have gone on behind it: the agent goes on at it
};

struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // all of it, "NAME=value", sorted; nothing is inherited

  bool operator==(const Launch&) const = default;
};

// Used by one thread. The process is started with launch() and then written start(). Each turn is
// written begin_turn(), after the result of the turn before.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual Launch launch() const = 0;
  // Returns the first bytes for stdin; can be empty.
  virtual Bytes start() = 0;
  // Returns the bytes that begin the turn. The same turn given twice to one process is run once.
  virtual Bytes begin_turn(TurnId turn, ByteView prompt) = 0;
  // Returns the bytes that add a prompt to the turn begun last, which has no result yet. Its result
  // answers this prompt, too. Asked only of engines that say they can.
  virtual Bytes inject(ByteView, Time) { return {}; }
  // The bytes of the last inject() did not reach the agent.
  virtual void take_back_injected() {}
  // Returns the bytes that ask the agent to end this turn, which runs: the one begun last, or one
  // of its own. The turn's result follows as a report.
  virtual Bytes interrupt(TurnId turn) = 0;

  // Takes one line of stdout without its line feed. Never fails: a line that cannot be understood
  // becomes a report itself. Call take_writes() afterwards.
  virtual std::vector<Report> on_line(ByteView line, Time now) = 0;
  // Call it at deadline() or later; deadline() unset: nothing is due.
  virtual std::vector<Report> on_time(Time now) = 0;
  virtual std::optional<Time> deadline() const = 0;
  // Stdout has ended: returns reports of the text that was not reported yet.
  virtual std::vector<Report> on_end() = 0;
  // Returns the answers for the agent's stdin since the last call; often empty.
  virtual Bytes take_writes() = 0;

  // True once the agent has nothing more to do, but for tasks in the background.
  virtual bool wants_exit() const = 0;
  // True while tasks run in the background, or the agent has not dealt with their end. As long as
  // that is allowed, the worker leaves its stdin open.
  virtual bool has_tasks() const { return false; }
  // Returns the name and version of the table by which spending is priced; empty: it is what the
  // agent says.
  virtual std::string_view prices() const { return {}; }
};

}  // namespace engines
