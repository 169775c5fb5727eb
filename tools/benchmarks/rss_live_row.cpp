// rss_per_live_session_bytes: resident memory of a server for each session that lives, idle, with
// 50 command ids, all of them in memory. Two servers with the same history but for how many of its
// sessions still live; the difference, so that what a server needs anyway is not counted.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr int kInterruptedTurns = 25;  // two commands each; the spawn is one more
constexpr Nanoseconds kStartMax = std::chrono::minutes(5);

struct Resident {
  double own_bytes = 0;  // RssAnon
  double all_bytes = 0;  // VmRSS
};

base::Result<Resident> measure_server(Workbench& bench, int sessions, int live) {
  const std::string home = bench.fresh_folder("rss-live");
  base::SeededRandom random(1);
  base::SessionId any;
  {
    const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
    if (!author) return tl::unexpected(author.error());
    for (int i = 0; i < sessions; ++i) {
      const auto id = (*author)->add_short({kInterruptedTurns, i >= live});
      if (!id) return tl::unexpected(id.error());
      any = i == 0 ? *id : any;
    }
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  }
  // The first start indexes the log; what that took is not of the sessions.
  for (const bool is_first : {true, false}) {
    const auto server = StenoServer::start_in(bench, home, kStartMax);
    if (!server) return tl::unexpected(server.error());
    if (is_first) continue;
    const auto one = OneCommand::connect(bench, **server);
    if (!one) return tl::unexpected(one.error());
    const auto answered =
        (*one)->run(any, kLogAgent, session::SendPrompt{std::string("ready?"), false});
    if (!answered) return tl::unexpected(answered.error());
    return Resident{1024.0 * static_cast<double>(memory_kib((*server)->pid(), "RssAnon")),
                    1024.0 * static_cast<double>(memory_kib((*server)->pid(), "VmRSS"))};
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
  return Figure{
      (of_all->own_bytes - of_few->own_bytes) / between,
      {fmt::format("{} sessions live: {:.1f} MB of its own, VmRSS {:.1f} MB", sessions - 1,
                   of_all->own_bytes / 1e6, of_all->all_bytes / 1e6),
       fmt::format("{} sessions live, the others have ended: {:.1f} MB of its own, VmRSS {:.1f} MB",
                   few, of_few->own_bytes / 1e6, of_few->all_bytes / 1e6),
       fmt::format("each with {} command ids, after a restart and a first answer; the difference "
                   "for each of {} sessions{}",
                   2 * kInterruptedTurns + 1, between,
                   bench.is_quick() ? "; --quick, so fewer than 10,000" : "")}};
}

}  // namespace benchmarks
