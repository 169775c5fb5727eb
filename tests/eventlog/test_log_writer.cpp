// A process that opens a log for writing and appends to it without end. It prints each acknowledged
// position on a line of stdout. It ends when stdin is closed or it is killed.
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "tests/support/log_writer.hpp"

namespace {

bool is_stdin_closed() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  return poll(&in, 1, 0) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fputs("usage: steno-test-log-writer FOLDER\n", stderr);
    return 2;
  }
  base::SystemRandom random;
  auto log = eventlog::open_log(argv[1], eventlog::LogMode::read_write, random);
  if (!log) {
    std::fprintf(stderr, "%s\n", base::describe(log.error()).c_str());
    return 1;
  }
  support::LogWriter writer(*log, random);
  const std::string padding(300, 'x');
  while (!is_stdin_closed()) {
    const auto position =
        writer.append(domain::kServerStream, domain::ServerStarted{{}, 1, padding}, padding);
    std::printf("%lld\n", static_cast<long long>(position.value));
    std::fflush(stdout);
  }
  return 0;
}
