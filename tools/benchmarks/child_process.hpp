// A process that the benchmark starts and ends. No other process is ever signalled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"
#include "tools/benchmarks/latencies.hpp"

namespace benchmarks {

class ChildProcess {
 public:
  struct Ended {
    int exit_code = 0;            // or 128 and the signal that ended it
    std::int64_t memory_kib = 0;  // peak of its resident memory
  };

  // Starts argv[0], searched in PATH unless it has a slash. Its stdin and stdout are pipes to us;
  // its stderr goes to `stderr_file`. It dies with us, however we end. Error not_found: there is no
  // such program.
  static base::Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& argv,
                                                           const std::string& stderr_file);
  // The same with a terminal of 80 columns and 24 lines of its own for all three.
  static base::Result<std::unique_ptr<ChildProcess>> start_on_terminal(
      const std::vector<std::string>& argv);
  // Ends it with SIGTERM, and with SIGKILL if it still lives after 10 s.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Ends it with SIGKILL, and waits for its end.
  void kill();
  // Ends it with SIGTERM, and with SIGKILL if it still lives after `grace`.
  void terminate(Nanoseconds grace);
  // Waits until it ends by itself. Its output must fit into the pipe. Error timeout: it still
  // lives.
  base::Result<Ended> wait(Nanoseconds timeout);

  int pid() const { return pid_; }
  // True once its end was waited for.
  bool is_gone() const { return is_gone_; }

  // Returns the next line of its stdout, without the line feed. Errors: timeout; unreachable if it
  // ended, with the end of its stderr.
  base::Result<std::string> read_line(Nanoseconds timeout);
  // Returns exactly this many bytes of its stdout.
  base::Result<base::Bytes> read_bytes(std::size_t count, Nanoseconds timeout);
  // Drops its output up to this text, and the text. Errors: as read_line().
  base::Result<void> skip_to(const std::string& text, Nanoseconds timeout);
  // Drops its output of that time.
  base::Result<void> skip_for(Nanoseconds time);
  base::Result<void> write(const std::string& text);

 private:
  ChildProcess(int pid, int in, int out, std::string stderr_file)
      : pid_(pid), in_(in), out_(out), stderr_file_(std::move(stderr_file)) {}
  base::Result<void> read_more(Nanoseconds deadline);
  Ended reap();
  bool has_ended_within(Nanoseconds time);

  const int pid_;
  bool is_gone_ = false;
  const int in_;
  const int out_;
  const std::string stderr_file_;
  base::Bytes buffer_;
};

// Returns a line of /proc/<pid>/status such as "VmRSS", in KiB; 0 if there is none.
std::int64_t memory_kib(int pid, const std::string& name);

// Returns the CPU time of the process so far, with all of its threads; 0 if it is gone.
Nanoseconds cpu_time(int pid);

}  // namespace benchmarks
