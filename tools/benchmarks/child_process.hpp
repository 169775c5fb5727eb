// A process that the benchmark starts, and ends with itself: nobody else is ever signalled.
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
    std::int64_t memory_kib = 0;  // resident, at its highest
  };

  // Starts argv[0], which is looked for in PATH unless it has a slash. Its stdin and stdout are
  // pipes to us, its stderr goes to `stderr_file`. It dies with us, whatever becomes of us.
  // Error not_found: there is no such program.
  static base::Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& argv,
                                                           const std::string& stderr_file);
  // Ends it: SIGTERM, and SIGKILL when that has not helped within 10 s.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Ends it with SIGKILL, and waits until it is gone.
  void kill();
  // Waits until it ends by itself. What it says on stdout must fit a pipe. Error timeout: it lives.
  base::Result<Ended> wait(Nanoseconds timeout);

  int pid() const { return pid_; }

  // The next line of its stdout, without its end. Errors: timeout; unreachable, when it ended, with
  // the end of what it said on stderr.
  base::Result<std::string> read_line(Nanoseconds timeout);
  // Exactly so many bytes of its stdout.
  base::Result<base::Bytes> read_bytes(std::size_t count, Nanoseconds timeout);
  base::Result<bool> write(const std::string& text);

 private:
  ChildProcess(int pid, int in, int out, std::string stderr_file)
      : pid_(pid), in_(in), out_(out), stderr_file_(std::move(stderr_file)) {}
  base::Result<bool> read_more(Nanoseconds deadline);
  Ended reap();
  bool has_ended_within(Nanoseconds time);

  const int pid_;
  bool is_gone_ = false;
  const int in_;
  const int out_;
  const std::string stderr_file_;
  base::Bytes buffer_;
};

// A line of /proc/<pid>/status such as "VmRSS", in KiB; 0 when it is not there.
std::int64_t memory_kib(int pid, const std::string& name);

// CPU time of the process with all of its threads, so far.
Nanoseconds cpu_time(int pid);

}  // namespace benchmarks
