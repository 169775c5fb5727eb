// A `steno serve` in a home of its own: starts it, kills processes that belong to it, and ends all
// of them at last. The test's process is the sub-reaper of them all: orphans of the server, its
// worker and their agents come to it, and nothing else is ever signalled.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "tests/crash/process_watch.hpp"
#include "workers/processes/process_table.hpp"

namespace crash {

using base::Duration;
using base::Result;
using processes::ProcessRow;
using processes::ProcessTable;

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  std::string output;  // stdout and stderr
};

class StenoServer {
 public:
  // Makes the home; starts nothing yet. Every agent will start a child in a session of its own.
  StenoServer();
  // Ends every process below this one, and removes the home if forget_home() was called.
  ~StenoServer();
  StenoServer(const StenoServer&) = delete;
  StenoServer& operator=(const StenoServer&) = delete;

  // Starts the server and waits until it says that it is ready.
  Result<void> start();
  // Sends SIGTERM and waits for the end. Returns the exit code; -1: a signal ended it.
  Result<int> stop();
  // Waits for the end of a server that was not told to stop; returns as stop() does.
  Result<int> exit_code();
  // Sends SIGKILL to all of them at once, then waits for each one's end.
  Result<void> kill(const ProcessTable& victims);
  // Runs `steno --home HOME WORDS…` to its end.
  Result<Finished> run(const std::vector<std::string>& words);

  // Sends SIGSTOP or SIGCONT. False: the process has ended.
  bool send(const ProcessRow& process, int signal);
  ProcessWatch& watch() { return *watch_; }

  // Returns all living processes that descend from this one, except the watching process.
  ProcessTable processes() const;
  std::optional<ProcessRow> server() const;
  std::optional<ProcessRow> worker() const;
  ProcessTable keepers() const;

  const std::string& home() const { return home_; }
  std::string data_folder() const { return home_ + "/data"; }
  std::string run_folder() const { return home_ + "/run"; }
  std::string lock_folder() const { return home_ + "/data/locks"; }
  std::string command_endpoint() const { return "ipc://" + home_ + "/run/command.sock"; }

  // Call when the test has passed, so that the home is removed.
  void forget_home() { is_home_kept_ = false; }

 private:
  std::vector<std::string> words(const std::vector<std::string>& own) const;
  Result<void> wait_for_ready();
  void reap();
  Result<int> wait_for_end(pid_t pid, Duration limit);

  std::string home_;
  bool is_home_kept_ = true;
  std::optional<ProcessWatch> watch_;
  pid_t server_ = 0;            // 0: none runs
  base::UniqueFd says_;         // what the server prints
  std::map<pid_t, int> ended_;  // wait statuses of children that nobody has asked for yet
};

}  // namespace crash
