// A peer that speaks ZMTP 3.1 byte by byte over a Unix socket, without a library, so that it can
// send bytes that no library would. It blocks, so it runs in a child process, which ends when
// anything fails.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

namespace zmtp {

using Bytes = std::string;

constexpr char kMore = 1;
constexpr char kCommand = 4;

// Returns one frame; `flags` make it a part or a command. Its length takes one byte or eight.
inline Bytes frame(std::string_view body, int flags = 0) {
  Bytes out;
  if (body.size() < 256) {
    out += static_cast<char>(flags);
    out += static_cast<char>(body.size());
  } else {
    out += static_cast<char>(flags | 2);
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(body.size() >> shift);
  }
  return out.append(body);
}

// Returns the heartbeat of a peer that must hear an answer within six seconds.
inline Bytes ping() {
  return frame(std::string("\4PING\0\x3C", 7), kCommand);
}

inline Bytes greeting(std::string_view mechanism = "NULL", char major = 3) {
  Bytes out("\xFF\0\0\0\0\0\0\0\1\x7F", 10);
  out += major;
  out += '\1';
  out.append(mechanism);
  out.resize(64, '\0');
  return out;
}

inline Bytes ready(std::string_view socket_type) {
  Bytes body = "\5READY";
  body += '\x0B';
  body += "Socket-Type";
  body.append(3, '\0');
  body += static_cast<char>(socket_type.size());
  return frame(body.append(socket_type), kCommand);
}

class Peer {
 public:
  static Peer connected_to(const std::string& path) {
    Peer peer(::socket(AF_UNIX, SOCK_STREAM, 0));
    const sockaddr_un to = address(path);
    if (::connect(peer.fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) ::_exit(3);
    return peer;
  }
  // Returns the first peer that connects.
  static Peer accepted_at(const std::string& path) {
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un at = address(path);
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) ::_exit(3);
    if (::listen(listener, 8) != 0) ::_exit(3);
    return Peer(::accept(listener, nullptr, nullptr));
  }

  void say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) ::_exit(4);
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  Bytes hear(std::size_t size) const {
    Bytes out(size, '\0');
    if (size > 0 && ::recv(fd_, out.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size)) {
      ::_exit(5);
    }
    return out;
  }
  // Returns the body of the next frame or command.
  Bytes hear_frame() const {
    const Bytes head = hear(2);
    std::size_t size = static_cast<unsigned char>(head[1]);
    if ((head[0] & 2) != 0) {
      for (const char byte : hear(7)) size = size << 8 | static_cast<unsigned char>(byte);
    }
    return hear(size);
  }
  void shake_hands(std::string_view socket_type) const {
    say(greeting());
    hear(64);
    say(ready(socket_type));
    hear_frame();
  }
  // True if the other end closed. Until then, reads and discards everything that comes.
  bool is_closed() const {
    char byte = 0;
    ssize_t size = 1;
    while (size > 0) size = ::recv(fd_, &byte, 1, 0);
    return size == 0 || errno == ECONNRESET;
  }

 private:
  explicit Peer(int fd) : fd_(fd) {
    if (fd < 0) ::_exit(2);
  }
  static sockaddr_un address(const std::string& path) {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    path.copy(out.sun_path, sizeof out.sun_path - 1);
    return out;
  }

  int fd_;
};

// A child process that runs `act`, which can tell() how far it has come. Start it while this
// process has no other threads.
class Child {
 public:
  explicit Child(const std::function<void(const Child&)>& act) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ::abort();
    pid_ = ::fork();
    fd_ = ends[pid_ == 0 ? 1 : 0];
    ::close(ends[pid_ == 0 ? 0 : 1]);
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    act(*this);
    ::_exit(0);
  }
  ~Child() {
    kill();
    ::close(fd_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Sends a word to the other side, parent or child; that side's fd() becomes readable.
  void tell(char word = '.') const {
    if (::send(fd_, &word, 1, MSG_NOSIGNAL) != 1 && pid_ == 0) ::_exit(6);
  }
  // Waits for the next word; 0: the other side ended without one.
  char hear() const {
    char word = 0;
    return ::recv(fd_, &word, 1, 0) == 1 ? word : '\0';
  }
  int fd() const { return fd_; }
  // For the child: waits until it is killed.
  [[noreturn]] void wait_to_be_killed() const {
    for (;;) ::pause();
  }
  // Kills the child and returns its exit code; -1: it was killed. All that it had open is then
  // closed.
  int kill() {
    if (pid_ <= 0) return -1;
    ::kill(pid_, SIGKILL);
    return wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int fd_ = -1;
  pid_t pid_ = -1;
};

}  // namespace zmtp
