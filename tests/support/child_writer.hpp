// Runs tests/eventlog/test_log_writer.cpp in a process of its own.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "eventlog/base/strong_integer.hpp"

namespace support {

class ChildWriter {
 public:
  explicit ChildWriter(const std::string& root) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
      throw std::runtime_error("pipe");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execl(STENO_LOG_WRITER, STENO_LOG_WRITER, root.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    stdin_ = in[1];
    stdout_ = out[0];
    ::fcntl(stdout_, F_SETFL, O_NONBLOCK);
  }
  ChildWriter(const ChildWriter&) = delete;
  ChildWriter& operator=(const ChildWriter&) = delete;
  ~ChildWriter() {
    kill();
    ::close(stdin_);
    ::close(stdout_);
  }

  pid_t pid() const { return pid_; }

  // Returns the last position that the writer has acknowledged so far.
  base::Position acknowledged() {
    char bytes[4096];
    for (;;) {
      const ssize_t got = ::read(stdout_, bytes, sizeof bytes);
      if (got <= 0) break;
      text_.append(bytes, static_cast<std::size_t>(got));
    }
    const std::size_t end = text_.rfind('\n');
    if (end == std::string::npos) return last_;
    const std::size_t before = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    last_.value = std::stoll(text_.substr(before == std::string::npos ? 0 : before + 1));
    text_.erase(0, end + 1);
    return last_;
  }

  // Waits for the position. False: it was not reached within 30 s, or the writer ended.
  bool wait_for(base::Position position) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (acknowledged() < position) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      pollfd out{stdout_, POLLIN, 0};
      ::poll(&out, 1, 1000);
      if ((out.revents & POLLHUP) != 0 && (out.revents & POLLIN) == 0) return false;
    }
    return true;
  }

  // Kills the writer; returns when the process is gone.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  int stdin_ = -1;
  int stdout_ = -1;
  std::string text_;
  base::Position last_;
};

}  // namespace support
