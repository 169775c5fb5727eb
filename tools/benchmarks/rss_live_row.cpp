// rss_per_live_session_bytes: a server's own resident memory for each idle live session with 52
// command ids that was just asked for, so that all are in memory. Also shown: the same when only
// one was asked for.
//
// The figure is a difference, so that a server's own memory does not count: two servers have the
// same history, but different numbers of its sessions still live. Sessions are asked for with
// commands that the server before had accepted, which change nothing. So the figure excludes the
// commands that RocksDB holds until it writes a table; these are bounded, whichever sessions they
// are for.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr int kInterruptedTurns = 25;  // two commands each; the spawn is one more
constexpr Nanoseconds kRssLiveStartMax = std::chrono::minutes(5);

struct Resident {
  double own_bytes = 0;  // RssAnon
  double all_bytes = 0;  // VmRSS
};

struct Served {
  Resident at_rest;    // after one command
  Resident in_memory;  // after one command to each live session
};

Resident resident(const StenoServer& server) {
  return {1024.0 * static_cast<double>(memory_kib(server.pid(), "RssAnon")),
          1024.0 * static_cast<double>(memory_kib(server.pid(), "VmRSS"))};
}

base::Result<Served> measure_server(Workbench& bench, int sessions, int live) {
  const std::string home = bench.fresh_folder("rss-live");
  base::SeededRandom random(1);
  std::vector<base::SessionId> alive;
  {
    const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
    if (!author) return tl::unexpected(author.error());
    for (int i = 0; i < sessions; ++i) {
      const auto id = (*author)->add_short({kInterruptedTurns, i >= live});
      if (!id) return tl::unexpected(id.error());
      if (i < live) alive.push_back(*id);
    }
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  }
  std::vector<base::CommandId> ids;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    ids.push_back(base::CommandId::make(bench.clock().wall(), random));
  }
  // The first start indexes the log; the sessions must not be charged for that.
  for (const bool is_first : {true, false}) {
    const auto server = StenoServer::start_in(bench, home, kRssLiveStartMax);
    if (!server) return tl::unexpected(server.error());
    const auto one = OneCommand::connect(bench, **server);
    if (!one) return tl::unexpected(one.error());
    Served served;
    for (std::size_t i = 0; i < alive.size(); ++i) {
      const auto answered = (*one)->run(ids[i], alive[i], kLogAgent,
                                        domain::SendPrompt{std::string("ready?"), false});
      if (!answered) return tl::unexpected(answered.error());
      if (i == 0) served.at_rest = resident(**server);
    }
    if (is_first) continue;
    served.in_memory = resident(**server);
    return served;
  }
  return base::failure(base::ErrorCode::invalid, "no server was measured");
}

}  // namespace

base::Result<Figure> measure_rss_live(Workbench& bench) {
  const int sessions = bench.is_quick() ? 2'000 : 10'000;
  const int few = sessions / 10;
  bench.progress("rss_per_live_session_bytes");
  const auto of_all = measure_server(bench, sessions, sessions - 1);
  if (!of_all) return tl::unexpected(of_all.error());
  const auto of_few = measure_server(bench, sessions, few);
  if (!of_few) return tl::unexpected(of_few.error());
  const auto between = static_cast<double>(sessions - 1 - few);
  const auto of_each = [&](Resident Served::*when) {
    return (((*of_all).*when).own_bytes - ((*of_few).*when).own_bytes) / between;
  };
  const auto line = [&](int live, const Resident& r) {
    return fmt::format("{} sessions live and in memory: {:.1f} MB of its own, VmRSS {:.1f} MB",
                       live, r.own_bytes / 1e6, r.all_bytes / 1e6);
  };
  return Figure{
      of_each(&Served::in_memory),
      {line(sessions - 1, of_all->in_memory), line(few, of_few->in_memory),
       fmt::format("{:.0f} B each before their first command: {:.1f} MB and {:.1f} MB of its own",
                   of_each(&Served::at_rest), of_all->at_rest.own_bytes / 1e6,
                   of_few->at_rest.own_bytes / 1e6),
       fmt::format("each with {} command ids; the difference for each of {} sessions{}",
                   2 * kInterruptedTurns + 2, between,
                   bench.is_quick() ? "; --quick, so fewer than 10,000" : "")},
      {}};
}

}  // namespace benchmarks
