// output_page_ms: a page of 200 blocks from a session of 100,000, at its end, in its middle and at
// its beginning; each asked over ipc and decoded.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"
#include "workers/protocol/queries.hpp"

namespace benchmarks {
namespace {

constexpr int kBlocks = 100'000;
constexpr int kBlocksQuick = 20'000;
constexpr int kBlocksShort = 1'000;  // of the session beside it
constexpr std::int64_t kPageBlocks = 200;
constexpr int kPages = 100;
constexpr Nanoseconds kOutputStartMax = std::chrono::minutes(2);

base::Result<Latencies> measure_pages(OneCommand& one, const workers::QueryBody& query) {
  Latencies latencies;
  for (int i = 0; i < kPages; ++i) {
    const auto took = one.ask(workers::kVerbOutput, query);
    if (!took) return tl::unexpected(took.error());
    latencies.add(*took);
  }
  return latencies;
}

}  // namespace

base::Result<Figure> measure_output_page(Workbench& bench) {
  bench.progress("output_page_ms");
  const int blocks = bench.is_quick() ? kBlocksQuick : kBlocks;
  const std::string home = bench.fresh_folder("output");
  base::SeededRandom random(1);
  std::vector<base::SessionId> sessions;
  std::int64_t middle = 0;
  {
    const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
    if (!author) return tl::unexpected(author.error());
    for (const int count : {kBlocksShort, blocks}) {
      const std::int64_t begin = (*author)->events();
      const auto id = (*author)->add_talk(count, kUsualContentBytes);
      if (!id) return tl::unexpected(id.error());
      sessions.push_back(*id);
      middle = (begin + (*author)->events()) / 2;
    }
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  }
  const auto server = StenoServer::start_in(bench, home, kOutputStartMax);
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());

  workers::QueryBody query;
  query.agent = kLogAgent;
  query.limit = kPageBlocks;
  Figure figure{0, {}};
  const auto measure = [&](const std::string& what, base::SessionId session, base::Position after,
                           bool counts) -> base::Result<void> {
    query.reference = session.text();
    query.after = after;
    const auto pages = measure_pages(**one, query);
    if (!pages) return tl::unexpected(pages.error());
    const double took = seconds(pages->p50()) * 1000;
    if (counts) figure.value = std::max(*figure.value, took);
    figure.raw.push_back(what + ": " + p50_and_p99(*pages));
    return {};
  };
  const base::SessionId whole = sessions.back();
  for (const auto& ok :
       {measure(fmt::format("the last of {}", blocks), whole, {}, true),
        measure("in the middle", whole, base::Position{middle}, true),
        measure("the first", whole, base::Position{1}, true),
        measure(fmt::format("the last of {}", kBlocksShort), sessions.front(), {}, false)}) {
    if (!ok) return tl::unexpected(ok.error());
  }
  figure.raw.push_back(fmt::format(
      "{} pages of {} blocks of {} B each; the value is the slowest one's p50{}", kPages,
      kPageBlocks, kUsualContentBytes, bench.is_quick() ? "; --quick, so fewer blocks" : ""));
  return figure;
}

}  // namespace benchmarks
