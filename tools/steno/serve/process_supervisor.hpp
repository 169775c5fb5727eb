// The server's supervision of a process beside it, the worker or the gateway: starts it if none
// lives, with back-off, and ends it when the server is stopped.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"

namespace steno {

class ProcessSupervisor {
 public:
  // `name`: as the server's log has it. `argv` empty: somebody else starts the process. While it
  // lives it holds `lock_path`.
  ProcessSupervisor(std::string name, std::vector<std::string> argv, std::string lock_path,
                    std::string log_path);

  // Starts the process if none lives and the back-off is over, and bounds its log. After stop():
  // asks one to end that could not be asked before.
  void do_work(base::Duration now);
  // Asks the process by `signal` to end, once for each call. One that outlived an earlier server is
  // asked, too. A process that does not hold the lock is never signalled.
  void stop(int signal);
  // Waits at most `max` for the end of a process that this supervisor started.
  void wait_for_end(base::Duration max);
  bool is_alive();

 private:
  void start(base::Duration now);
  void ask_to_end();

  const std::string name_;
  const std::vector<std::string> argv_;
  const std::string lock_path_;
  const std::string log_path_;
  pid_t child_ = 0;  // 0: no child of ours
  bool is_stopping_ = false;
  bool is_asked_ = false;  // to end
  int stop_signal_ = 0;
  base::Duration next_start_{0};
  base::Duration back_off_;
  base::Duration look_at_{0};  // at the size of the log
};

}  // namespace steno
