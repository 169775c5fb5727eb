// The server's supervision of this machine's worker process: starts it if none lives, with
// back-off, and ends it when the server is stopped.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"

namespace steno {

class WorkerSupervisor {
 public:
  // `argv` empty: somebody else starts the worker. A living worker holds `lock_path`.
  WorkerSupervisor(std::vector<std::string> argv, std::string lock_path, std::string log_path);

  // Starts the worker if none lives and the back-off is over. After stop(): asks a worker to end
  // that could not be asked before.
  void do_work(base::Duration now);
  // Asks the worker by `signal` to end its agents and itself, once for each call. A worker that
  // outlived an earlier server is asked, too. A process that does not hold the lock is never
  // signalled.
  void stop(int signal);
  bool is_alive();

 private:
  void start(base::Duration now);
  void ask_to_end();

  const std::vector<std::string> argv_;
  const std::string lock_path_;
  const std::string log_path_;
  pid_t child_ = 0;  // 0: no child of ours
  bool is_stopping_ = false;
  bool is_asked_ = false;  // to end
  int stop_signal_ = 0;
  base::Duration next_start_{0};
  base::Duration back_off_;
};

}  // namespace steno
