// Takes the worker lock, ends orphans of dead keepers, then runs the link to the server and the
// agents in one loop.
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "bus/context.hpp"
#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/list_files.hpp"
#include "tools/steno/serve/log_rotation.hpp"
#include "tools/steno/serve/open_files.hpp"
#include "tools/steno/serve/serve.hpp"
#include "tools/steno/serve/signals.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "workers/processes/orphan_reaper.hpp"
#include "workers/runner/worker_link.hpp"

namespace steno {
namespace {

constexpr base::Duration kFoldersLookEvery = std::chrono::seconds(1);  // at the agents' folders
constexpr base::Duration kWorkerPollMax = std::chrono::milliseconds(250);
// An older server does not say that it knows that the worker leaves.
constexpr base::Duration kOlderServerMax = std::chrono::seconds(1);
constexpr base::Duration kGoodbyeMax = std::chrono::seconds(10);  // to deliver the last reports

int run_loop(const ServeOptions& options, StopSignals& signals) {
  base::SystemClock clock;
  base::SystemRandom random;
  bus::Context context;
  auto socket = bus::connect_client(context, options.worker_endpoint);
  if (!socket) return print_failure("steno worker", socket.error());
  workers::KeptAgentLauncher launcher(options.agents);
  workers::AgentRunner worker(launcher, options.runner);
  const auto id = base::WorkerId::make(clock.wall(), random);
  workers::WorkerLink link(worker, {clock, **socket}, id, getpid(), options.link);
  spdlog::info("worker_ready worker={} pid={}", id.text(), getpid());
  LogRotation log(options.run_folder + "/worker.log");
  base::Duration look_at{0};
  std::optional<base::Duration> leave_at;
  base::Duration older_server_by{0};
  for (;;) {
    const bool has_worked = link.do_work();
    const base::Duration now = clock.boot();
    log.do_work(now);
    if (now >= look_at) {
      look_at = now + kFoldersLookEvery;
      launcher.keep_folders();
    }
    const int signal = signals.take();
    // SIGTERM can come twice: from who stops a group of processes, and from the server. The server
    // sends SIGINT when turns under way are to have no more time.
    if (signal != 0 && (!leave_at || signal == SIGINT)) {
      const base::Duration by = signal == SIGINT ? now : now + options.stop_grace;
      spdlog::info("worker_stopping signal={}", signal);
      leave_at = by + kGoodbyeMax;
      older_server_by = now + kOlderServerMax;
      worker.end_all(by);
    }
    const bool is_idle = link.may_leave() || (worker.is_idle() && now >= older_server_by);
    if (leave_at && (is_idle || now >= *leave_at)) return 0;
    if (has_worked) continue;
    std::vector<bus::PollItem> items = {bus::PollItem::of(**socket),
                                        bus::PollItem::of(signals.fd())};
    for (const processes::PollWish& wish : worker.poll_wishes()) {
      bus::PollItem item = bus::PollItem::of(wish.fd);
      item.wants_read = wish.wants_read;
      item.wants_write = wish.wants_write;
      items.push_back(item);
    }
    base::Duration wait = std::min(link.deadline() - now, kWorkerPollMax);
    if (const auto due = worker.deadline()) wait = std::min(wait, *due - now);
    if (auto ok = bus::poll(items, wait); !ok) return print_failure("steno worker", ok.error());
  }
}

// Removes the lock files of sessions without a keeper. Call it when no process of a dead keeper is
// left, since those are found by their lock files; those of `orphans`, which may not have ended
// yet, stay. A session that goes on gets another one.
void remove_free_locks(const std::string& folder, const std::vector<processes::Orphan>& orphans) {
  const auto is_of_orphan = [&](const base::ListedFile& file) {
    return std::any_of(orphans.begin(), orphans.end(), [&](const processes::Orphan& orphan) {
      return orphan.lock_file.ends_with("/" + file.name);
    });
  };
  const std::vector<base::ListedFile> none;
  for (const base::ListedFile& file : base::list_files(folder).value_or(none)) {
    if (file.extension() != ".lock" || !base::SessionId::parse(file.stem())) continue;
    if (is_of_orphan(file)) continue;
    // Whoever opens it meanwhile looks at its name again once it has the lock.
    const auto lock = base::FileLock::take(file.path);
    if (lock) ::unlink(file.path.c_str());
  }
}

}  // namespace

int run_worker(const ServeOptions& options) {
  // Keepers and agents inherit the umask. The worker's own files are made with an explicit mode.
  ::umask(options.agent_umask);
  if (options.agent_files > 0) set_open_files(options.agent_files);
  StopSignals signals;
  auto lock = base::FileLock::take(options.worker_lock);
  if (!lock) return print_failure("steno worker", lock.error());
  if (auto ok = processes::become_subreaper(); !ok)
    return print_failure("steno worker", ok.error());
  auto orphans = processes::reap_orphans(options.agents.lock_folder);
  if (!orphans) return print_failure("steno worker", orphans.error());
  for (const processes::Orphan& orphan : *orphans) {
    spdlog::warn("orphan_ended pid={} session={}", orphan.pid, orphan.session);
  }
  remove_free_locks(options.agents.lock_folder, *orphans);
  return run_loop(options, signals);
}

}  // namespace steno
