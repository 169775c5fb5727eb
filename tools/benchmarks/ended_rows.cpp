// recover_ms_ended_1m, rss_ended_1m_mb, list_ms_ended_1m: the cost of ended sessions. Two servers
// have a hundred live sessions, and a thousand or a million ended ones. Measured by turns, once for
// all three rows: the time from a start to two answers, the memory then, and pages of the list.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"
#include "workers/protocol/queries.hpp"

namespace benchmarks {
namespace {

constexpr int kFew = 1'000;
constexpr int kMany = 1'000'000;
constexpr int kManyQuick = 20'000;
constexpr int kLive = 100;
constexpr int kTurns = 5;
constexpr int kListings = 10;  // of each page in a turn
constexpr Nanoseconds kEndedStartMax = std::chrono::minutes(20);

// A page of the list that a user may ask for.
struct ListPage {
  std::string_view what;
  workers::QueryBody query;
};

struct EndedHome {
  std::string path;
  std::int64_t events = 0;
  std::vector<base::SessionId> ended;  // some of them
  std::vector<ListPage> pages;

  std::size_t unflushed = 0;       // bytes of write-ahead log at the last start
  std::size_t rows_unflushed = 0;  // the same of index and views
  std::vector<double> recovered_ms;
  std::vector<double> ready_ms;
  std::vector<double> own_mb;       // RssAnon after the answers
  std::vector<double> resident_mb;  // VmRSS
  std::vector<Latencies> listings;  // by page
};

double ms(Nanoseconds time) {
  return seconds(time) * 1000;
}

double mb(const StenoServer& server, const char* name) {
  return static_cast<double>(memory_kib(server.pid(), name)) * 1024 / 1e6;
}

std::vector<ListPage> pages_of(std::int64_t events) {
  workers::QueryBody newest;
  newest.agent = kLogAgent;
  newest.limit = 50;
  std::vector<ListPage> pages{{"the newest", newest}};
  workers::QueryBody other = newest;
  other.before = base::Position{events / 2};
  pages.push_back({"in the middle", other});
  other.before = base::Position{events / 20};
  pages.push_back({"near the first", other});
  other = newest;
  other.statuses = {domain::SessionStatus::running, domain::SessionStatus::starting};
  pages.push_back({"those that live", other});
  other.statuses = {domain::SessionStatus::completed, domain::SessionStatus::starting};
  pages.push_back({"of mixed statuses", other});
  other = newest;
  other.agent = "nobody";
  pages.push_back({"of an agent without any", other});
  return pages;
}

base::Result<EndedHome> write_home(Workbench& bench, int ended) {
  EndedHome home;
  home.path = bench.fresh_folder(fmt::format("ended-{}", ended));
  base::SeededRandom random(1);
  {
    const auto author = LogAuthor::create(StenoServer::data_folder(home.path), random);
    if (!author) return tl::unexpected(author.error());
    for (int i = 0; i < ended; ++i) {
      if (i % 50'000 == 0) {
        bench.progress(fmt::format("recover_ms_ended_1m, session {} of {}", i, ended));
      }
      const auto id = (*author)->add_short({1, true});
      if (!id) return tl::unexpected(id.error());
      if (i >= ended - kTurns) home.ended.push_back(*id);
    }
    for (int i = 0; i < kLive; ++i) {
      if (auto ok = (*author)->add_short({1, false}); !ok) return tl::unexpected(ok.error());
    }
    // A start proves the last 4 MiB and reads the write-ahead log; both homes have equally much of
    // these.
    if (auto ok = (*author)->fill_write_ahead_log(true); !ok) return tl::unexpected(ok.error());
    if (auto ok = (*author)->empty_write_ahead_log(home.path + "/copy"); !ok) {
      return tl::unexpected(ok.error());
    }
    bench.remove(home.path + "/copy");
    home.events = (*author)->events();
  }
  home.pages = pages_of(home.events);
  home.listings.resize(home.pages.size());
  bench.progress(fmt::format("recover_ms_ended_1m, the first server over {} sessions", ended));
  const auto server = StenoServer::start_in(bench, home.path, kEndedStartMax);
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());
  return home;  // destroying the server ends it in order, so that its rows are on the disk
}

base::Result<void> measure_turn(Workbench& bench, EndedHome& home) {
  const std::string data = StenoServer::data_folder(home.path);
  home.unflushed = bytes_of(data + "/log", ".log");
  home.rows_unflushed = bytes_of(data + "/index", ".log") + bytes_of(data + "/views", ".log");
  const Nanoseconds begun = now();
  const auto server = StenoServer::start_in(bench, home.path, kEndedStartMax);
  if (!server) return tl::unexpected(server.error());
  home.ready_ms.push_back(ms(now() - begun));
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  const base::SessionId evicted = home.ended[home.recovered_ms.size()];
  const auto killed = (*one)->run(evicted, kLogAgent, domain::KillSession{});
  if (!killed) return tl::unexpected(killed.error());
  const auto fresh = base::CommandId::make(bench.clock().wall(), bench.random());
  const auto spawned = (*one)->run(fresh, base::SessionId{fresh.bytes}, kLogAgent, spawn_command());
  if (!spawned) return tl::unexpected(spawned.error());
  home.recovered_ms.push_back(ms(now() - begun));
  home.own_mb.push_back(mb(**server, "RssAnon"));
  home.resident_mb.push_back(mb(**server, "VmRSS"));
  for (std::size_t page = 0; page < home.pages.size(); ++page) {
    for (int i = 0; i < kListings; ++i) {
      const auto took = (*one)->ask(workers::kVerbList, home.pages[page].query);
      if (!took) return tl::unexpected(took.error());
      home.listings[page].add(*took);
    }
  }
  (*server)->kill();
  return {};
}

struct Ended {
  EndedHome few;
  EndedHome many;
};

base::Result<Ended> measure_ended(Workbench& bench) {
  auto few = write_home(bench, kFew);
  if (!few) return tl::unexpected(few.error());
  auto many = write_home(bench, bench.is_quick() ? kManyQuick : kMany);
  if (!many) return tl::unexpected(many.error());
  for (int turn = 0; turn < kTurns; ++turn) {
    bench.progress(fmt::format("recover_ms_ended_1m {}/{}", turn + 1, kTurns));
    for (EndedHome* home : {&*few, &*many}) {
      if (auto ok = measure_turn(bench, *home); !ok) return tl::unexpected(ok.error());
    }
  }
  bench.remove(few->path);
  bench.remove(many->path);
  return Ended{std::move(*few), std::move(*many)};
}

const base::Result<Ended>& ended(Workbench& bench) {
  static const base::Result<Ended> measured = measure_ended(bench);
  return measured;
}

std::string size_text(Workbench& bench) {
  return fmt::format("{} live; {} and {} ended; the middle of {} starts, by turns{}", kLive, kFew,
                     bench.is_quick() ? kManyQuick : kMany, kTurns,
                     bench.is_quick() ? "; --quick, so fewer than 1,000,000" : "");
}

}  // namespace

base::Result<Figure> measure_recover_ended(Workbench& bench) {
  const auto& measured = ended(bench);
  if (!measured) return tl::unexpected(measured.error());
  const auto line = [](std::string_view what, const EndedHome& home) {
    return fmt::format(
        "{}: {:.0f} ms, ready after {:.0f} ms; {:.1f} MB of the log's write-ahead "
        "log, {:.1f} MB of those of index and views",
        what, median(home.recovered_ms), median(home.ready_ms),
        static_cast<double>(home.unflushed) / 1e6, static_cast<double>(home.rows_unflushed) / 1e6);
  };
  return Figure{
      median(measured->many.recovered_ms) / median(measured->few.recovered_ms),
      {line("many ended", measured->many), line("few ended", measured->few), size_text(bench)}};
}

base::Result<Figure> measure_rss_ended(Workbench& bench) {
  const auto& measured = ended(bench);
  if (!measured) return tl::unexpected(measured.error());
  const auto line = [](std::string_view what, const EndedHome& home) {
    return fmt::format("{}: VmRSS {:.1f} MB, of that {:.1f} MB of its own", what,
                       median(home.resident_mb), median(home.own_mb));
  };
  return Figure{
      median(measured->many.resident_mb) / median(measured->few.resident_mb),
      {line("many ended", measured->many), line("few ended", measured->few), size_text(bench)}};
}

base::Result<Figure> measure_list_ended(Workbench& bench) {
  const auto& measured = ended(bench);
  if (!measured) return tl::unexpected(measured.error());
  const EndedHome& many = measured->many;
  Figure figure{0, {}};
  for (std::size_t page = 0; page < many.pages.size(); ++page) {
    const double took = ms(many.listings[page].p50());
    figure.value = std::max(*figure.value, took);
    figure.raw.push_back(fmt::format(
        "{}: p50 {:.2f} ms, p99 {:.2f} ms; with few ended p50 {:.2f} ms", many.pages[page].what,
        took, ms(many.listings[page].p99()), ms(measured->few.listings[page].p50())));
  }
  figure.raw.push_back("pages of 50; the value is the slowest one's p50; " + size_text(bench));
  return figure;
}

}  // namespace benchmarks
