// Runs one agent process under the built keeper and pumps it until a condition holds.
#pragma once

#include <poll.h>
#include <stdlib.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "workers/processes/agent_process.hpp"

namespace support {

// Far longer than anything takes on a loaded machine; a test that reaches it has failed.
inline constexpr std::chrono::seconds kDeadline{60};

inline std::string user_line(const std::string& prompt) {
  return R"({"type":"user","message":{"role":"user","content":")" + prompt + "\"}}\n";
}

// Returns the number behind `before` in `text`, or -1.
inline std::int64_t number_after(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + before.size());
}

struct AgentHarness {
  TemporaryFolder folder;
  processes::KeeperPlan plan = default_plan();
  std::unique_ptr<processes::AgentProcess> process;
  std::vector<processes::ProcessEvent> events;

  processes::KeeperPlan default_plan() const {
    processes::KeeperPlan out;
    out.keeper = STENO_KEEPER;
    out.lock_file = folder.file("session.lock");
    out.workdir = folder.path();
    out.agent.argv = {STENO_SCRIPTED_AGENT};
    out.agent.environment = {"PATH=/usr/bin:/bin", "PRESENT=yes"};
    out.session.bytes.fill('\x07');
    return out;
  }

  bool start() {
    auto spawned = processes::spawn_under_keeper(plan);
    if (!spawned) return false;
    process = *std::move(spawned);
    return true;
  }
  bool start(std::vector<std::string> argv) {
    plan.agent.argv = std::move(argv);
    return start();
  }
  bool start_shell(const std::string& script) { return start({"/bin/sh", "-c", script}); }

  void pump_once(int timeout_ms) {
    std::vector<pollfd> fds;
    for (const processes::PollWish& wish : process->poll_wishes()) {
      const int events_wanted = (wish.wants_read ? POLLIN : 0) | (wish.wants_write ? POLLOUT : 0);
      fds.push_back({wish.fd, static_cast<short>(events_wanted), 0});
    }
    ::poll(fds.data(), fds.size(), timeout_ms);
    process->pump(clock.boot());
    for (auto& event : process->take_events()) events.push_back(std::move(event));
  }

  // Pumps until the condition holds. False: the deadline came first.
  bool pump_until(const std::function<bool()>& condition) {
    const auto deadline = clock.boot() + kDeadline;
    while (!condition()) {
      if (clock.boot() > deadline) return false;
      pump_once(20);
    }
    return true;
  }
  bool pump_until_line(const std::string& part) {
    return pump_until([&] { return !line_with(part).empty(); });
  }
  bool pump_until_over() {
    return pump_until([&] { return exited() != nullptr || failed() != nullptr; });
  }

  template <class Event>
  const Event* find() const {
    for (const auto& event : events) {
      if (const auto* found = std::get_if<Event>(&event)) return found;
    }
    return nullptr;
  }
  const processes::ProcessExited* exited() const { return find<processes::ProcessExited>(); }
  const processes::StartFailed* failed() const { return find<processes::StartFailed>(); }
  std::vector<processes::Frame> lines() const {
    std::vector<processes::Frame> out;
    for (const auto& event : events) {
      if (const auto* line = std::get_if<processes::Frame>(&event)) out.push_back(*line);
    }
    return out;
  }
  std::string line_with(const std::string& part) const {
    for (const auto& line : lines()) {
      if (line.bytes.find(part) != std::string::npos) return line.bytes;
    }
    return {};
  }

  base::SystemClock clock;
};

}  // namespace support
