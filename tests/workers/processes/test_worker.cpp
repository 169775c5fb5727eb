// steno-test-worker: a worker for tests that kill one. It runs a single agent process and prints
// each event as a line on stdout: "started PID", "line BYTES", "failed TEXT", "exited CODE SIGNAL
// LEFT".
//
//   steno-test-worker KEEPER LOCK_FILE WORKDIR PROMPT PROGRAM [ARGUMENT…]
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "workers/processes/agent_process.hpp"

namespace {

void tell(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(3);
}

// Prints the event. True if it was the last one.
bool tell_event(const processes::ProcessEvent& event) {
  if (const auto* started = std::get_if<processes::ProcessStarted>(&event)) {
    tell("started " + std::to_string(started->pid));
  } else if (const auto* line = std::get_if<processes::Frame>(&event)) {
    tell("line " + line->bytes);
  } else if (const auto* failed = std::get_if<processes::StartFailed>(&event)) {
    tell("failed " + failed->text);
    return true;
  } else if (const auto* exited = std::get_if<processes::ProcessExited>(&event)) {
    tell("exited " + std::to_string(exited->code) + " " + std::to_string(exited->signal) + " " +
         std::to_string(exited->left_behind));
    return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6 || !processes::become_subreaper()) return 2;
  processes::KeeperPlan plan;
  plan.keeper = argv[1];
  plan.lock_file = argv[2];
  plan.workdir = argv[3];
  plan.agent.argv.assign(argv + 5, argv + argc);
  plan.agent.environment = {"PATH=/usr/bin:/bin"};
  auto process = processes::spawn_under_keeper(plan);
  if (!process) return 2;
  if (!(*process)->write(argv[4] + std::string("\n"))) return 2;

  base::SystemClock clock;
  for (;;) {
    std::vector<pollfd> fds;
    for (const auto& wish : (*process)->poll_wishes()) {
      fds.push_back({wish.fd, static_cast<short>(wish.wants_write ? POLLOUT : POLLIN), 0});
    }
    ::poll(fds.data(), fds.size(), 100);
    (*process)->pump(clock.boot());
    for (const auto& event : (*process)->take_events()) {
      if (tell_event(event)) return 0;
    }
  }
}
