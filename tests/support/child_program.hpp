// A program under test: its stdout and stderr are gathered, it can be written to and signalled, and
// it is killed with the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace support {

// Far longer than anything takes on a loaded machine; a test that reaches it has failed.
inline constexpr std::chrono::seconds kProgramDeadline{30};

enum class Stdin { at_end, open };
enum class Stdout { pipe, terminal };

class ChildProgram {
 public:
  // `environment` is the whole environment, as "NAME=value". Stdin and stderr are pipes.
  ChildProgram(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
               Stdin in = Stdin::at_end, Stdout out = Stdout::pipe);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  void write(const std::string& text);
  void close_stdin();
  void signal(int number) const;
  // Gathers output until `is_enough` or the program's end. `is_enough` is asked after each output
  // and every tenth of a second. False: the end or the deadline came first.
  bool wait_until(const std::function<bool(const ChildProgram&)>& is_enough);
  // Gathers to the end. Returns the exit code, 128 + the signal that ended it, or -1: it does not
  // end.
  int wait();

  const std::string& out() const { return out_; }
  const std::string& err() const { return err_; }
  pid_t pid() const { return pid_; }

 private:
  bool has_ended() const { return stdout_ < 0 && stderr_ < 0; }
  void gather(std::chrono::steady_clock::time_point until);

  pid_t pid_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  int stderr_ = -1;
  std::string out_;
  std::string err_;
};

}  // namespace support
