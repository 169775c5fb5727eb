// Opens the log and everything that the loop needs, in order, then alternates between the server's
// duty cycle and one poll over all sockets and wake-up descriptors.
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <utility>

#include "bus/accepting.hpp"
#include "bus/context.hpp"
#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/check.hpp"
#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/list_files.hpp"
#include "eventlog/base/own_folder.hpp"
#include "eventlog/base/release.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/proof/signing_key.hpp"
#include "tools/steno/serve/log_rotation.hpp"
#include "tools/steno/serve/open_files.hpp"
#include "tools/steno/serve/process_supervisor.hpp"
#include "tools/steno/serve/serve.hpp"
#include "tools/steno/serve/served_log.hpp"
#include "tools/steno/serve/served_place.hpp"
#include "tools/steno/serve/signals.hpp"
#include "tools/steno/serve/unused_memory.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/server/server_assembly.hpp"
#include "workers/time_zones/system_time_zones.hpp"

namespace steno {
namespace {

constexpr base::Duration kDrainMax = std::chrono::seconds(15);  // for the worker to end its agents
constexpr base::Duration kGatewayEndMax = std::chrono::seconds(1);
// Log time never goes back and approaches the clock by 1 ms a second. A log that is an hour ahead
// stays ahead for 41 days, and ages and retention are wrong by as much.
constexpr base::Duration kClockBehindMax = std::chrono::hours(1);
// As many connections as an endpoint can have peers.
constexpr std::int64_t kPeersWanted = 4096;
constexpr base::Duration kPollMax = std::chrono::milliseconds(250);
constexpr base::Duration kSocketsEvery = std::chrono::seconds(1);  // whether its sockets are there
// A folder that another program removes is made anew at once, if it can be made at all.
constexpr base::Duration kUnreachableMax = std::chrono::seconds(10);

class FileLeaseLocks final : public workers::LeaseLocks {
 public:
  explicit FileLeaseLocks(const ServeOptions& options) : options_(options) {}
  // In doubt a lock counts as held: a lease is never taken from an owner that can be alive.
  bool is_worker_alive() override { return base::is_locked(options_.worker_lock).value_or(true); }
  bool has_worker_ended(std::int64_t pid) override {
    if (!is_worker_alive()) return true;
    const pid_t living = base::lock_holder(options_.worker_lock);
    return living != 0 && living != pid;
  }
  bool is_only_worker(std::int64_t pid) override {
    return pid > 0 && is_worker_alive() && base::lock_holder(options_.worker_lock) == pid;
  }
  bool is_session_held(base::SessionId session) override {
    return base::is_locked(workers::session_lock_path(options_.agents.lock_folder, session))
        .value_or(true);
  }

 private:
  const ServeOptions& options_;
};

ServedLog served_log(const ServeOptions& options) {
  return {options.run_folder, options.data_folder, options.needs_log};
}

// Returns the file that stderr goes to; empty: it is no file.
std::string log_file() {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/fd/2", error).string();
}

workers::ServerPlace place_of(const ServeOptions& options, base::Clock& clock) {
  workers::ServerPlace place;
  place.pid = getpid();
  place.since = clock.wall();
  place.stop_max = kDrainMax + options.stop_grace;
  place.release = base::release();
  place.run_folder = options.run_folder;
  place.log_file = log_file();
  return place;
}

// Returns the sessions that have a private folder.
std::vector<base::SessionId> found_folders(const std::string& folder) {
  std::vector<base::SessionId> found;
  const std::vector<base::ListedFile> none;
  for (const base::ListedFile& file : base::list_files(folder).value_or(none)) {
    if (const auto id = base::SessionId::parse(file.name)) found.push_back(*id);
  }
  return found;
}

// Everything that the server's loop uses, in the order of construction.
struct Process {
  explicit Process(const ServeOptions& o) : options(o), locks(o) {}

  const ServeOptions& options;
  base::SystemClock clock;
  base::SystemRandom random;
  FileLeaseLocks locks;
  workers::SystemTimeZones zones;
  const workers::PatternMatcher calls;
  eventlog::OpenedLog log;
  std::optional<base::SigningKey> key;
  std::unique_ptr<eventlog::KeyValueStore> index_rows;
  std::unique_ptr<eventlog::KeyValueStore> view_rows;
  bus::Context context;
  std::unique_ptr<bus::ServerSocket> command_socket;
  std::unique_ptr<bus::ServerSocket> worker_socket;
  std::unique_ptr<bus::PublisherSocket> feed_socket;
  std::optional<workers::ServerAssembly> assembly;
  std::optional<ServedPlace> place;  // removed while the log's lock is still held

  base::Result<void> open();
  base::Result<void> open_rows();
  base::Result<void> bind();
  base::Result<std::unique_ptr<workers::DerivedStores>> derive();
  void assemble(std::unique_ptr<workers::DerivedStores> derived);
};

base::Result<void> Process::open() {
  auto opened = eventlog::open_log(options.data_folder, eventlog::LogMode::read_write, random);
  if (!opened) return tl::unexpected(opened.error());
  log = std::move(*opened);
  place.emplace(options.data_folder, place_of(options, clock));
  place->tell(workers::ServerPhase::starting);
  if (log.is_new) {
    if (auto ok = check_may_begin(served_log(options)); !ok) return ok;
    remark("no log in " + options.data_folder + ": a new one begins there");
  }
  if (!options.accept_clock) {
    if (auto ok = check_clock(log.tail.time, clock.wall()); !ok) return ok;
  }
  // In the data folder, which is private to the user.
  auto locked = eventlog::system_disk().make_folder(options.agents.lock_folder);
  if (!locked) return tl::unexpected(locked.error());
  const auto key_file = eventlog::LogFolder{options.data_folder}.key();
  auto opened_key = eventlog::open_signing_key(key_file, random);
  if (!opened_key) return tl::unexpected(opened_key.error());
  key = *opened_key;
  if (auto ok = open_rows(); !ok) return ok;
  auto derived = derive();
  if (!derived) return tl::unexpected(derived.error());
  // From here on clients are heard, so that none waits while rows are built anew.
  if (auto ok = bind(); !ok) return ok;
  assemble(std::move(*derived));
  return {};
}

// Logs one line for each folder whose rows are built anew.
void tell_rebuilt(std::string_view rows, const base::Error& why) {
  spdlog::warn("rows_built_anew folder={}/ reason=\"{}\" lost=nothing", rows, why.text);
}

base::Result<std::unique_ptr<eventlog::KeyValueStore>> open_folder(std::string_view name,
                                                                   const std::string& folder) {
  auto opened = eventlog::open_derived_rows(folder);
  if (!opened) return tl::unexpected(opened.error());
  if (!opened->damage.empty()) {
    tell_rebuilt(name, {base::ErrorCode::rows_damaged, opened->damage, folder});
  }
  return std::move(opened->rows);
}

base::Result<void> Process::open_rows() {
  const eventlog::LogFolder folder{options.data_folder};
  auto opened_index = open_folder("index", folder.index());
  if (!opened_index) return tl::unexpected(opened_index.error());
  index_rows = std::move(*opened_index);
  auto opened_views = open_folder("views", folder.views());
  if (!opened_views) return tl::unexpected(opened_views.error());
  view_rows = std::move(*opened_views);
  return {};
}

base::Result<std::unique_ptr<workers::DerivedStores>> Process::derive() {
  log.base.reset();  // read anew whenever rows are built upon it
  workers::DerivedStoresOptions wanted;
  wanted.read_base = [folder = eventlog::LogFolder{options.data_folder}, &store = *log.store] {
    return eventlog::read_base(folder, store);
  };
  wanted.on_rebuilt = tell_rebuilt;
  wanted.open_archive = [](const std::string& folder) {
    return eventlog::open_log_view(eventlog::LogFolder{folder}.log());
  };
  wanted.archive_folders = options.archive_folders;
  wanted.content_folder = eventlog::LogFolder{options.data_folder}.content();
  return workers::open_derived_stores(*log.store, log.tail, *index_rows, *view_rows, wanted);
}

base::Result<void> Process::bind() {
  auto commands = bus::bind_server(context, options.command_endpoint);
  if (!commands) return tl::unexpected(commands.error());
  command_socket = std::move(*commands);
  // A worker's queue is bounded by its sessions: one directive each, all of which are due at once
  // when it registers.
  auto workers =
      bus::bind_server(context, options.worker_endpoint, std::numeric_limits<std::size_t>::max());
  if (!workers) return tl::unexpected(workers.error());
  worker_socket = std::move(*workers);
  auto feed = bus::bind_publisher(context, options.feed_endpoint);
  if (!feed) return tl::unexpected(feed.error());
  feed_socket = std::move(*feed);
  return {};
}

void Process::assemble(std::unique_ptr<workers::DerivedStores> derived) {
  const std::string fingerprint = base::fingerprint(key->public_key());
  spdlog::info("signing_key fingerprint={}", fingerprint);
  workers::UpkeepOptions upkeep;
  upkeep.keep_for = options.keep_for;
  upkeep.session_folder = options.agents.session_folder;
  upkeep.key = key;
  upkeep.data_folder = options.data_folder;
  workers::ReactorOptions reactors{options.leases, fingerprint, std::move(upkeep),
                                   found_folders(options.agents.session_folder), options.hooks};
  workers::CommandLoopOptions commands = options.commands;
  commands.zones = &zones;
  commands.calls = &calls;
  const auto threads = workers::make_thread_side_work(options.sinks);
  assembly.emplace(workers::ServerStores{*log.store, log.head.get(), *index_rows, *view_rows},
                   std::move(derived),
                   workers::ServerSurroundings{clock, random, locks, *command_socket,
                                               *worker_socket, *feed_socket},
                   workers::ServerOptions{log.tail, std::move(commands), std::move(reactors),
                                          options.prices.name, options.facts},
                   *threads);
}

// Prints "ready" where whoever started this waits for it, and tells systemd. A server that runs on
// by itself then logs to its file alone: the other end of that pipe goes away.
void tell_ready(const ServeOptions& options) {
  std::printf("ready\n");
  std::fflush(stdout);
  ::sd_notify(0, "READY=1");  // without systemd it does nothing
  if (options.is_detached) ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

// Keeps the sockets where clients look for them. Somebody can remove the run folder under a server:
// the end of a login session, a cleaner of temporary files.
class KeptSockets {
 public:
  explicit KeptSockets(Process& process) : process_(process) {}

  // Looks once a second. Returns an error when they have been gone for kUnreachableMax.
  base::Result<void> do_work(base::Duration now) {
    if (now < look_at_) return {};
    look_at_ = now + kSocketsEvery;
    bool is_new = false;
    for (bus::BoundEndpoint* bound : std::initializer_list<bus::BoundEndpoint*>{
             process_.command_socket.get(), process_.worker_socket.get(),
             process_.feed_socket.get()}) {
      const auto bound_anew = bound->stay_reachable();
      if (!bound_anew) return missed(bound_anew.error(), now);
      is_new |= *bound_anew;
    }
    gone_since_ = {};
    if (is_new) {
      spdlog::warn("sockets_bound_anew folder={} reason=\"they were removed\" lost=nothing",
                   process_.options.run_folder);
      remember_log(served_log(process_.options), process_.log.tail.log);
    }
    return {};
  }

 private:
  base::Result<void> missed(const base::Error& error, base::Duration now) {
    if (gone_since_.count() == 0) {
      gone_since_ = now;
      spdlog::error("sockets_gone folder={} reason=\"{}\"", process_.options.run_folder,
                    base::describe(error));
    }
    if (now < gone_since_ + kUnreachableMax) return {};
    return base::failure(base::ErrorCode::io,
                         "nobody can reach this server any more, so it stops: its sockets in " +
                             process_.options.run_folder + " were removed and cannot be made (" +
                             error.text +
                             "). Start it again, with run_folder where files last if this one "
                             "does not",
                         error.where);
  }

  Process& process_;
  base::Duration look_at_{0};
  base::Duration gone_since_{0};  // boot time; 0: they are there
};

// True if a signal behind the first one says that there is no time. A terminal that is closed sends
// SIGHUP twice, by the kernel and by the shell, and a group that is ended gets SIGTERM with each of
// its processes. `steno stop --now` sends SIGTERM and SIGINT, which can be read in either order.
bool is_hurry(int first, int signal) {
  return signal == SIGINT || (first == SIGINT && signal == SIGTERM);
}

// Says to who sits before it what a stop waits for, since it can take seconds.
void tell_stop(const ServeOptions& options, bool is_worker_alive, bool is_second) {
  if (::isatty(STDERR_FILENO) != 1) return;
  if (options.keep_workers) return remark("steno serve: stopping; the agents go on (keep_workers)");
  if (!is_worker_alive) return remark("steno serve: stopping");
  remark(is_second ? std::string("steno serve: ending the turns under way now")
                   : "steno serve: stopping; turns under way have " +
                         exact_duration_text(options.stop_grace) +
                         " to end. Ctrl-C again ends them now. Sessions go on with the next start");
}

// Says in the log that the clock was stepped, and that it is right again.
class ClockWatch {
 public:
  void look(base::Duration lead) {
    const bool is_off = lead > base::kClockStepMin || lead < -base::kClockStepMin;
    if (std::exchange(is_off_, is_off) == is_off) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lead).count();
    if (is_off) {
      spdlog::warn("clock_stepped ahead_s={} then=\"{}\"", seconds,
                   seconds > 0 ? "taken, if it stays" : "recorded times wait for the clock");
    } else {
      spdlog::info("clock_agrees");
    }
  }

 private:
  bool is_off_ = false;
};

int run_loop(Process& p, ProcessSupervisor& worker, ProcessSupervisor& gateway,
             StopSignals& signals) {
  workers::Server& server = p.assembly->server();
  KeptSockets sockets(p);
  LogRotation log(server_log_of(p.options.run_folder));  // if it was started to log there
  bool is_told = false;
  ClockWatch clock_watch;
  int code = kExitOk;
  std::optional<base::Duration> drain_until;
  int first_signal = 0;
  const auto drain = [&](base::Duration now, int signal) {
    const bool is_second = drain_until.has_value();
    spdlog::info("server_stopping signal={}", signal);
    p.place->tell(workers::ServerPhase::stopping);
    tell_stop(p.options, worker.is_alive(), is_second);
    // A second signal leaves turns under way no more time.
    drain_until = now + kDrainMax + (is_second ? base::Duration{0} : p.options.stop_grace);
    if (p.options.keep_workers) return;
    server.drain();
    worker.stop(is_second ? SIGINT : SIGTERM);
  };
  for (;;) {
    const bool has_worked = server.do_work();
    if (server.failure()) return print_failure("steno serve", *server.failure());
    clock_watch.look(server.clock_lead());
    const base::Duration now = p.clock.boot();
    if (server.has_taken_over() && !is_told) {
      is_told = true;
      remember_log(served_log(p.options), p.log.tail.log);
      p.place->tell(workers::ServerPhase::serving);
      tell_ready(p.options);
      spdlog::info("server_ready position={} pid={}", server.durable().value, getpid());
    }
    worker.do_work(now);
    if (is_told) gateway.do_work(now);
    log.do_work(now);
    if (const auto ok = sockets.do_work(now); !ok && code == kExitOk) {
      code = print_failure("steno serve", ok.error());
      drain(now, 0);
    }
    if (const int signal = signals.take(); signal != 0) {
      if (!drain_until || is_hurry(first_signal, signal)) drain(now, signal);
      if (first_signal == 0) first_signal = signal;
    }
    if (drain_until && p.options.keep_workers) return code;
    if (drain_until && (now >= *drain_until || (!has_worked && !worker.is_alive()))) return code;
    if (has_worked) continue;
    std::vector<bus::PollItem> items = {
        bus::PollItem::of(*p.command_socket), bus::PollItem::of(*p.worker_socket),
        bus::PollItem::of(*p.feed_socket), bus::PollItem::of(signals.fd())};
    for (const int fd : p.assembly->wake_fds()) items.push_back(bus::PollItem::of(fd));
    base::Duration wait = std::min(server.next_timer() - now, kPollMax);
    if (drain_until) wait = std::min<base::Duration>(wait, std::chrono::milliseconds(20));
    if (auto ok = bus::poll(items, wait); !ok) return print_failure("steno serve", ok.error());
  }
}

// Adds what to do next, where the error does not say it.
base::Error with_advice(base::Error error) {
  if (error.code == base::ErrorCode::damaged) error.text += "; " + std::string(kDamageAdvice);
  return error;
}

}  // namespace

base::Result<void> check_clock(base::Time last, base::Time wall) {
  const base::Duration behind = last - wall;
  if (behind <= kClockBehindMax) return {};
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(behind).count();
  return base::failure(
      base::ErrorCode::refused,
      "the clock is " + std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) +
          " min before the log's last event. Set the clock. If the log was written with a wrong "
          "clock, use steno serve --accept-clock: recorded times then stay ahead until the clock "
          "has caught up");
}

int run_server(const ServeOptions& options) {
  StopSignals signals;
  if (!wait_for_previous(options.data_folder, signals)) return kExitInterrupted;
  const eventlog::LogFolder folder{options.data_folder};
  if (!folder.has_log() && eventlog::is_gone(folder.head())) {
    // Checked before anything is made here.
    if (auto ok = check_may_begin(served_log(options)); !ok) {
      return print_failure("steno serve", ok.error());
    }
  }
  if (auto ok = base::make_own_folder(options.run_folder); !ok) {
    return print_failure("steno serve", ok.error());
  }
  const auto files = claim_open_files();
  if (!files) return print_failure("steno serve", files.error());
  if (files->peers_below < kPeersWanted) {
    spdlog::warn("few_open_files limit={} connections_max={} wanted={}", files->limit,
                 files->peers_below, kPeersWanted);
  }
  bus::keep_descriptors_above(static_cast<int>(files->peers_below));
  Process process(options);
  if (auto ok = process.open(); !ok) return print_failure("steno serve", with_advice(ok.error()));
  free_unused_memory();  // a start reads the states of all live sessions, and keeps little of them
  const workers::Server& server = process.assembly->server();
  const std::string flight_file = options.run_folder + "/flight.log";
  base::on_check_failed([&] { server.flight().write_to(flight_file); });
  ProcessSupervisor worker("worker", options.worker_argv, options.worker_lock,
                           options.run_folder + "/worker.log");
  // The gateway says that the server is stopping until that has stopped. It ends by itself if the
  // server dies.
  ProcessSupervisor gateway("gateway", options.gateway_argv, options.gateway_lock,
                            options.run_folder + "/gateway.log");
  const int code = run_loop(process, worker, gateway, signals);
  gateway.stop(SIGINT);
  gateway.wait_for_end(kGatewayEndMax);
  if (server.failure()) {
    server.flight().write_to(flight_file);
    // Nothing is closed: a store on a failed disk would try to write data that nobody waits for,
    // and RocksDB with assertions on aborts in that.
    std::_Exit(code);
  }
  base::on_check_failed(nullptr);
  return code;
}

std::string server_log_of(const std::string& run_folder) {
  return run_folder + "/server.log";
}

}  // namespace steno
