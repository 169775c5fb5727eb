// The process behind process_watch.hpp: steno-process-watch HOME. Commands on stdin: 'p' excuses
// missing owners until 'e', which also excuses those missing now; 'r' asks for the report. The end
// of stdin means that the test is gone. stdout: "ORPHANS DOUBLES OWNERLESS SLOWEST_MS GAP_MS", a
// line for each finding, ".".
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "eventlog/base/time.hpp"
#include "tests/crash/agent_owners.hpp"
#include "tests/crash/process_watch.hpp"
#include "workers/processes/agent_process.hpp"

namespace {

using base::Duration;
using processes::ProcessRow;
using processes::ProcessTable;
using Identity = std::pair<pid_t, std::uint64_t>;

constexpr Duration kOwnerlessMax = std::chrono::seconds(2);
constexpr int kLookMs = 50;
// Kills in rounds: a killed process can have started another one before.
constexpr int kClearingRoundsMax = 200;

std::int64_t in_ms(Duration time) {
  return time / std::chrono::milliseconds(1);
}

class Watch {
 public:
  explicit Watch(std::string home) : home_(std::move(home)) {}

  void look() {
    const Duration now = clock_.boot();
    if (last_look_) longest_gap_ = std::max(longest_gap_, now - *last_look_);
    if (is_paused_) excused_ = now;
    // The test is the sub-reaper of everything it starts, so all processes descend from it.
    const ProcessTable table = processes::descendants_of(test_, processes::all_processes());
    std::map<Identity, Duration> still;
    std::map<std::string, ProcessRow> agents;
    for (const auto& process : crash::marked_processes(home_ + "/data/locks", table)) {
      const Identity identity{process.row.pid, process.row.start_ticks};
      if (process.keeper() != 0) note_agent(process, agents);
      if (process.worker != 0 && is_worker(process.worker, table)) continue;
      ever_ownerless_.insert(identity);
      // Counts from the look before the first sighting: the owner can have been missing since then.
      const auto known = ownerless_since_.find(identity);
      const Duration since = std::max(
          excused_, known != ownerless_since_.end() ? known->second : last_look_.value_or(now));
      still[identity] = since;
      slowest_ = std::max(slowest_, now - since);
      if (now - since > kOwnerlessMax && orphans_.insert(identity).second) {
        text_ += "pid " + std::to_string(process.row.pid) + " (" + process.row.name +
                 ") of session " + process.session + " has no owner for " +
                 std::to_string(in_ms(now - since)) + " ms\n";
      }
    }
    ownerless_since_ = std::move(still);
    last_look_ = now;
  }

  void excuse() {
    excused_ = clock_.boot();
    is_paused_ = false;
  }
  void pause() { is_paused_ = true; }

  void tell() const {
    std::printf("%zu %zu %zu %lld %lld\n%s.\n", orphans_.size(), doubles_.size(),
                ever_ownerless_.size(), static_cast<long long>(in_ms(slowest_)),
                static_cast<long long>(in_ms(longest_gap_)), text_.c_str());
    std::fflush(stdout);
  }

  // Kills every process that names the home in its environment, except this one.
  void end_all() const {
    for (int round = 0; round < kClearingRoundsMax; ++round) {
      const auto killed = processes::kill_selected([this](const ProcessTable& table) {
        ProcessTable own;
        for (const ProcessRow& row : table) {
          if (!row.has_ended() && row.pid != ::getpid() && is_of_home(row)) own.push_back(row);
        }
        return own;
      });
      if (killed.empty()) return;
      ::poll(nullptr, 0, 10);
    }
  }

 private:
  static bool is_worker(pid_t pid, const ProcessTable& table) {
    for (const ProcessRow& row : table) {
      if (row.pid == pid) return row.name == crash::kServerName && !row.has_ended();
    }
    return false;
  }

  bool is_of_home(const ProcessRow& row) const {
    const std::string environment = processes::environment_of(row.pid);
    if (processes::value_of(crash::kHomeMarker, environment) == home_) return true;
    const auto lock = processes::value_of(processes::kLockMarker, environment);
    return lock && lock->starts_with(home_ + "/");
  }

  // Notes the agent; reports a session with two keepers that both have processes below them.
  void note_agent(const crash::MarkedProcess& process, std::map<std::string, ProcessRow>& agents) {
    const auto [other, is_first] = agents.emplace(process.session, process.agent_root);
    if (is_first || other->second.parent == process.keeper()) return;
    // A table is read row by row, so the other agent can have ended before this one began.
    const auto again = processes::read_process(other->second.pid);
    if (!again || !again->is_same(other->second) || again->has_ended()) return;
    if (!doubles_.insert(process.session).second) return;
    text_ += "pid " + std::to_string(other->second.pid) + " and pid " +
             std::to_string(process.agent_root.pid) + " are both agents of session " +
             process.session + "\n";
  }

  const std::string home_;
  const pid_t test_ = ::getppid();
  base::SystemClock clock_;
  std::optional<Duration> last_look_;
  bool is_paused_ = false;
  Duration longest_gap_{0};
  Duration slowest_{0};
  Duration excused_{0};
  std::map<Identity, Duration> ownerless_since_;  // those that live
  std::set<Identity> ever_ownerless_;
  std::set<Identity> orphans_;
  std::set<std::string> doubles_;
  std::string text_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ::unsetenv(std::string(crash::kHomeMarker).c_str());
  Watch watch(argv[1]);
  for (;;) {
    watch.look();
    pollfd fd{STDIN_FILENO, POLLIN, 0};
    if (::poll(&fd, 1, kLookMs) <= 0) continue;
    char order = 0;
    if (::read(STDIN_FILENO, &order, 1) <= 0) break;
    watch.look();
    if (order == 'p') watch.pause();
    if (order == 'e') watch.excuse();
    if (order == 'r') watch.tell();
  }
  watch.end_all();
  return 0;
}
