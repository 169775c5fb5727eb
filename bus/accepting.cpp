// Replaces the C library's accept4, which libzmq calls, by one that refuses connections beyond a
// limit of descriptors.
#include "bus/accepting.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace {

// Both are set before the threads that accept begin.
int descriptors_limit = 0;  // 0: none was told
int spare = -1;             // given up for the moment in which a connection is turned away

int take(int listener, sockaddr* address, socklen_t* size, int flags) {
  return static_cast<int>(::syscall(SYS_accept4, listener, address, size, flags));
}

// Takes a connection and closes it, when the process has no descriptor left. A connection that
// stayed in the queue would keep the listener readable and its thread busy.
void turn_away(int listener) {
  ::close(spare);
  const int connection = take(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection >= 0) ::close(connection);
  spare = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace

namespace bus {

void keep_descriptors_above(int limit) {
  spare = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  descriptors_limit = limit;
}

}  // namespace bus

// Stands in for the C library's function, because libzmq cannot be told a limit. A refused
// connection looks like a peer that left before it was accepted (ECONNABORTED), which every version
// of libzmq passes over.
extern "C" __attribute__((visibility("default"))) int accept4(int listener, sockaddr* address,
                                                              socklen_t* size, int flags) {
  const int connection = take(listener, address, size, flags);
  if (descriptors_limit == 0) return connection;
  if (connection >= 0 && connection < descriptors_limit) return connection;
  if (connection < 0 && errno != EMFILE && errno != ENFILE) return connection;
  if (connection >= 0) {
    ::close(connection);
  } else {
    turn_away(listener);
  }
  errno = ECONNABORTED;
  return -1;
}
