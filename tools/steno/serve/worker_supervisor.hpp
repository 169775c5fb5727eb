// The server's care for this machine's worker process: starts it when none lives, with back-off,
// and ends it when the server is stopped.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"

namespace steno {

class WorkerSupervisor {
 public:
  // `argv` empty: the worker is not ours to start. `lock_path` is held by a living worker.
  WorkerSupervisor(std::vector<std::string> argv, std::string lock_path, std::string log_path);

  // Starts the worker when there is none and its time has come. Behind stop(): asks the one that
  // could not be asked yet.
  void do_work(base::Duration now);
  // Asks the worker to end its agents and itself (SIGTERM), once; a worker that outlived an earlier
  // server is asked, too. No process that does not hold the lock is ever signalled.
  void stop();
  bool is_alive();

 private:
  void start(base::Duration now);
  void ask_to_end();

  const std::vector<std::string> argv_;
  const std::string lock_path_;
  const std::string log_path_;
  pid_t child_ = 0;  // 0: none of ours
  bool is_stopping_ = false;
  bool is_asked_ = false;  // to end
  base::Duration next_start_{0};
  base::Duration back_off_;
};

}  // namespace steno
