// The server's care for this machine's worker process: starts it when none lives, with back-off,
// and ends it when the server is stopped.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"

namespace steno {

// Of the worker that took this lock last; it stands beside the lock. 0: not known.
pid_t recorded_worker_pid(const std::string& lock_path);

class WorkerSupervisor {
 public:
  // `argv` empty: the worker is not ours to start. `lock_path` is held by a living worker.
  WorkerSupervisor(std::vector<std::string> argv, std::string lock_path, std::string log_path);

  // Starts the worker when there is none and its time has come.
  void do_work(base::Duration now);
  // Asks the worker to end its agents and itself (SIGTERM); a worker that outlived an earlier
  // server is asked, too.
  void stop();
  bool is_alive();

 private:
  void start(base::Duration now);

  const std::vector<std::string> argv_;
  const std::string lock_path_;
  const std::string log_path_;
  pid_t child_ = 0;  // 0: none of ours
  bool is_stopping_ = false;
  base::Duration next_start_{0};
  base::Duration back_off_;
};

}  // namespace steno
