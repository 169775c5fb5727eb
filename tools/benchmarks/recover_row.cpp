// recover_ms: time from the start of a server whose predecessor was killed with SIGKILL to two
// answers: to a command on an evicted session, and to a spawn.
//
// The log is long, its last part was never flushed into tables, and live sessions take all places
// but one. The row also shows how long `steno replay` takes to verify and to rebuild the same log.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>

#include "eventlog/base/list_files.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

struct RecoveredSize {
  std::int64_t events;
  int brief;  // sessions that ended after ten interrupted turns
  int live;
  int turns;  // warm, and then as many cold
};
constexpr RecoveredSize kFull{10'000'000, 70'000, 9'990, 3};
constexpr RecoveredSize kQuick{200'000, 1'400, 2'000, 3};
constexpr int kTurnsOfBrief = 10;
constexpr std::int64_t kEventsOfBrief = 6 + 2 * kTurnsOfBrief;
constexpr Nanoseconds kFirstStartMax = std::chrono::minutes(10);
constexpr Nanoseconds kRecoverStartMax = std::chrono::minutes(2);
constexpr Nanoseconds kReplayMax = std::chrono::minutes(10);
// A server writes down within two seconds what it has derived from the log.
constexpr Nanoseconds kUnchanged = std::chrono::seconds(3);
constexpr Nanoseconds kWrittenMax = std::chrono::minutes(5);

struct Start {
  Nanoseconds ready{0};
  Nanoseconds evicted{0};  // the command on an evicted session
  Nanoseconds spawned{0};
  Nanoseconds total{0};
};

// Removes all files below the folder from the page cache.
void drop_from_cache(const std::string& folder) {
  for (const base::ListedFile& file :
       base::list_tree(folder).value_or(std::vector<base::ListedFile>())) {
    if (file.kind != base::FileKind::file) continue;
    const int fd = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    fdatasync(fd);  // dirty pages would stay in the cache
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
}

// Waits until the server has written down all that it has derived from the log: until the files
// below the folders stay as they are.
base::Result<void> wait_until_written(const std::vector<std::string>& folders) {
  std::vector<std::pair<std::string, std::uintmax_t>> before;
  const Nanoseconds begun = now();
  for (Nanoseconds changed = begun; now() - changed < kUnchanged;) {
    if (now() - begun > kWrittenMax) {
      return base::failure(base::ErrorCode::timeout, "the server does not stop to write");
    }
    std::vector<std::pair<std::string, std::uintmax_t>> files;
    for (const std::string& folder : folders) {
      const auto listed = base::list_tree(folder);
      if (!listed) return tl::unexpected(listed.error());
      for (const base::ListedFile& file : *listed) {
        std::error_code gone;
        files.emplace_back(file.path, std::filesystem::file_size(file.path, gone));
      }
    }
    if (files != before) changed = now();
    before = std::move(files);
    poll(nullptr, 0, 50);
  }
  return {};
}

class Recovery {
 public:
  Recovery(Workbench& bench, const RecoveredSize& size) : bench_(bench), size_(size) {}

  base::Result<void> prepare() {
    home_ = bench_.fresh_folder("recover");
    base::SeededRandom random(1);
    bench_.progress(fmt::format("recover_ms, writing {} events", size_.events));
    const auto author = LogAuthor::create(StenoServer::data_folder(home_), random);
    if (!author) return tl::unexpected(author.error());
    auto ended =
        (*author)->add_histories(size_.events - size_.brief * kEventsOfBrief, kUsualContentBytes);
    if (!ended) return tl::unexpected(ended.error());
    ended_ = std::move(*ended);
    for (int i = 0; i < size_.brief; ++i) {
      if (auto ok = (*author)->add_short({kTurnsOfBrief, true}); !ok) {
        return tl::unexpected(ok.error());
      }
    }
    for (int i = 0; i < size_.live; ++i) {
      if (auto ok = (*author)->add_short({2, false}); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = (*author)->fill_write_ahead_log(bench_.is_quick()); !ok) return ok;
    events_ = (*author)->events();
    return {};
  }

  // Leaves the state that the timed servers start from. Without `is_written`, the server is killed
  // before it has written down what it has derived from the log.
  base::Result<void> start_and_kill(bool is_written) {
    bench_.progress("recover_ms, the server that will be killed");
    const auto server = StenoServer::start_in(bench_, home_, kFirstStartMax);
    if (!server) return tl::unexpected(server.error());
    // A server in operation has its views up; without this the next one would fold the whole log.
    const auto one = OneCommand::connect(bench_, **server);
    if (!one) return tl::unexpected(one.error());
    if (auto ok = (*one)->wait_for_views(); !ok) return ok;
    const std::string data = StenoServer::data_folder(home_);
    if (is_written) {
      if (auto ok = wait_until_written({data + "/index", data + "/views"}); !ok) return ok;
    }
    (*server)->kill();
    return {};
  }

  base::Result<Start> measure(bool is_warm) {
    unflushed_ = bytes_of(StenoServer::data_folder(home_) + "/log", ".log");
    if (!is_warm) drop_from_cache(home_);
    Start start;
    const Nanoseconds begun = now();
    const auto server = StenoServer::start_in(bench_, home_, kRecoverStartMax);
    if (!server) return tl::unexpected(server.error());
    start.ready = now() - begun;
    const auto one = OneCommand::connect(bench_, **server);
    if (!one) return tl::unexpected(one.error());
    const auto evicted = (*one)->run(ended_[next_++], kLogAgent, domain::KillSession{});
    if (!evicted) return tl::unexpected(evicted.error());
    start.evicted = *evicted;
    const auto fresh = base::SessionId::make(bench_.clock().wall(), bench_.random());
    const auto spawned =
        (*one)->run(base::CommandId{fresh.bytes}, fresh, kLogAgent, spawn_command());
    if (!spawned) return tl::unexpected(spawned.error());
    start.spawned = *spawned;
    start.total = now() - begun;
    memory_kib_ = std::max(memory_kib_, memory_kib((*server)->pid(), "VmHWM"));
    (*server)->kill();
    return start;
  }

  // Returns "replay verify …: 20.1 s, 500,000/s, memory at most 100 MB".
  base::Result<std::string> replay(const std::string& what) {
    bench_.progress("recover_ms, replay " + what);
    const Nanoseconds begun = now();
    auto child = ChildProcess::start(
        {bench_.program("steno"), "--home", home_, "-o", "json", "replay", what},
        home_ + "/replay_errors");
    if (!child) return tl::unexpected(child.error());
    const auto ended = (*child)->wait(kReplayMax);
    if (!ended) return tl::unexpected(ended.error());
    if (ended->exit_code != 0) {
      return base::failure(base::ErrorCode::damaged,
                           fmt::format("replay {} ended with {}", what, ended->exit_code));
    }
    const double took = seconds(now() - begun);
    return fmt::format("replay {} of the same log: {:.1f} s, {}, memory at most {:.0f} MB", what,
                       took, rate_text(static_cast<double>(events_) / took),
                       megabytes(ended->memory_kib));
  }

  std::string size_text() const {
    return fmt::format(
        "{} events of {} sessions, {} of them live; {:.0f} MB of write-ahead log; the server's "
        "memory at most {:.0f} MB{}",
        events_, ended_.size() + static_cast<std::size_t>(size_.brief + size_.live), size_.live,
        static_cast<double>(unflushed_) / 1e6, megabytes(memory_kib_),
        bench_.is_quick() ? "; --quick, so fewer than 10,000,000 events and 64 MB" : "");
  }

 private:
  static double megabytes(std::int64_t kib) { return static_cast<double>(kib) * 1024 / 1e6; }

  Workbench& bench_;
  const RecoveredSize& size_;
  std::string home_;
  std::vector<base::SessionId> ended_;
  std::size_t next_ = 0;
  std::int64_t events_ = 0;
  std::size_t unflushed_ = 0;
  std::int64_t memory_kib_ = 0;  // highest of the timed servers
};

std::string describe_starts(const std::string& what, const std::vector<Start>& starts) {
  const auto middle = [&](Nanoseconds Start::*part) {
    std::vector<double> values;
    values.reserve(starts.size());
    for (const Start& start : starts) values.push_back(seconds(start.*part) * 1000);
    return median(values);
  };
  return fmt::format(
      "{}: {:.0f} ms; ready after {:.0f} ms, the command on the evicted session took {:.1f} ms, "
      "the spawn {:.1f} ms; the middle of {}",
      what, middle(&Start::total), middle(&Start::ready), middle(&Start::evicted),
      middle(&Start::spawned), starts.size());
}

}  // namespace

base::Result<Figure> measure_recover(Workbench& bench) {
  const RecoveredSize& size = bench.is_quick() ? kQuick : kFull;
  Recovery recovery(bench, size);
  if (auto ok = recovery.prepare(); !ok) return tl::unexpected(ok.error());
  if (auto ok = recovery.start_and_kill(false); !ok) return tl::unexpected(ok.error());
  const auto hasty = recovery.measure(true);
  if (!hasty) return tl::unexpected(hasty.error());
  if (auto ok = recovery.start_and_kill(true); !ok) return tl::unexpected(ok.error());
  std::vector<Start> warm;
  std::vector<Start> cold;
  std::vector<double> totals;
  for (int turn = 0; turn < 2 * size.turns; ++turn) {
    bench.progress(fmt::format("recover_ms {}/{}", turn + 1, 2 * size.turns));
    const bool is_warm = turn < size.turns;
    const auto start = recovery.measure(is_warm);
    if (!start) return tl::unexpected(start.error());
    (is_warm ? warm : cold).push_back(*start);
    if (is_warm) totals.push_back(seconds(start->total) * 1000);
  }
  Figure figure{median(totals),
                {describe_starts("warm page cache", warm), describe_starts("cold", cold),
                 describe_starts("warm, killed as soon as its views were up", {*hasty}),
                 recovery.size_text()},
                {}};
  for (const char* what : {"verify", "rebuild"}) {
    auto text = recovery.replay(what);
    if (!text) return tl::unexpected(text.error());
    figure.raw.push_back(std::move(*text));
  }
  return figure;
}

}  // namespace benchmarks
