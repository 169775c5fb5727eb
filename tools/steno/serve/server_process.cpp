// Opens the log and everything that the loop needs, in order, then alternates between the server's
// duty cycle and one poll over all sockets and wake-up descriptors.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "bus/accepting.hpp"
#include "bus/context.hpp"
#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/check.hpp"
#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/own_folder.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/proof/signing_key.hpp"
#include "tools/steno/serve/open_files.hpp"
#include "tools/steno/serve/process_supervisor.hpp"
#include "tools/steno/serve/serve.hpp"
#include "tools/steno/serve/served_log.hpp"
#include "tools/steno/serve/signals.hpp"
#include "tools/steno/serve/unused_memory.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/exit_codes.hpp"
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

// Everything that the server's loop uses, in the order of construction.
struct Process {
  explicit Process(const ServeOptions& o) : options(o), locks(o) {}

  const ServeOptions& options;
  base::SystemClock clock;
  base::SystemRandom random;
  FileLeaseLocks locks;
  workers::SystemTimeZones zones;
  eventlog::OpenedLog log;
  std::optional<base::SigningKey> key;
  std::unique_ptr<eventlog::KeyValueStore> index_rows;
  std::unique_ptr<eventlog::KeyValueStore> view_rows;
  bus::Context context;
  std::unique_ptr<bus::ServerSocket> command_socket;
  std::unique_ptr<bus::ServerSocket> worker_socket;
  std::unique_ptr<bus::PublisherSocket> feed_socket;
  std::optional<workers::ServerAssembly> assembly;

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
  workers::CommandLoopOptions commands = options.commands;
  commands.zones = &zones;
  const auto threads = workers::make_thread_side_work(options.sinks);
  assembly.emplace(
      workers::ServerStores{*log.store, log.head.get(), *index_rows, *view_rows},
      std::move(derived),
      workers::ServerSurroundings{clock, random, locks, *command_socket, *worker_socket,
                                  *feed_socket},
      workers::ServerOptions{log.tail, std::move(commands), options.leases, fingerprint},
      std::move(upkeep), *threads);
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
  bool is_told = false;
  ClockWatch clock_watch;
  std::optional<base::Duration> drain_until;
  for (;;) {
    const bool has_worked = server.do_work();
    if (server.failure()) return print_failure("steno serve", *server.failure());
    clock_watch.look(server.clock_lead());
    const base::Duration now = p.clock.boot();
    if (server.has_taken_over() && !is_told) {
      is_told = true;
      remember_log(served_log(p.options), p.log.tail.log);
      std::printf("ready\n");
      std::fflush(stdout);
      spdlog::info("server_ready position={} pid={}", server.durable().value, getpid());
    }
    worker.do_work(now);
    if (is_told) gateway.do_work(now);
    if (const int signal = signals.take(); signal != 0) {
      spdlog::info("server_stopping signal={}", signal);
      if (p.options.keep_workers) return 0;
      // A second signal leaves turns under way no more time.
      const bool is_second = drain_until.has_value();
      drain_until = now + kDrainMax + (is_second ? base::Duration{0} : p.options.stop_grace);
      server.drain();
      worker.stop(is_second ? SIGINT : SIGTERM);
    }
    if (drain_until && (now >= *drain_until || (!has_worked && !worker.is_alive()))) return 0;
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
  if (auto ok = process.open(); !ok) return print_failure("steno serve", ok.error());
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

}  // namespace steno
