// transcript_page_ms: a page of 50 items from a session of a million, at its end, in its middle and
// at its beginning, as `steno transcript` asks for it; each asked over ipc and decoded.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/stop.hpp"
#include "workers/protocol/queries.hpp"

namespace benchmarks {
namespace {

constexpr int kTranscriptItems = 1'000'000;
constexpr int kTranscriptItemsQuick = 50'000;
constexpr int kItemsShort = 1'000;  // of a session beside it
constexpr int kItemsOfTurn = 30;    // as in real sessions
constexpr int kItemsLong = 20'000;  // of a session with one turn
constexpr std::int64_t kPageItems = 50;
constexpr int kTranscriptPages = 100;
constexpr Nanoseconds kTranscriptStartMax = std::chrono::minutes(5);

struct TalkOnRecord {
  base::SessionId session;
  base::Position middle;
};

base::Result<TalkOnRecord> add_talk_to(LogAuthor& author, int items, int turn_items) {
  const std::int64_t begin = author.events();
  const auto text = [] { return std::string(kUsualContentBytes, 'o'); };
  const auto id = author.add_talk(items, text, turn_items);
  if (!id) return tl::unexpected(id.error());
  return TalkOnRecord{*id, base::Position{(begin + author.events()) / 2}};
}

base::Result<Latencies> measure_transcript(OneCommand& one, const workers::QueryBody& query) {
  Latencies latencies;
  for (int i = 0; i < kTranscriptPages; ++i) {
    if (is_stopped()) return stopped();
    const Nanoseconds asked = now();
    const auto answer = one.answer_to<workers::OutputAnswer>(workers::kVerbOutput, query);
    if (!answer) return tl::unexpected(answer.error());
    latencies.add(now() - asked);
    // Where a turn begins, two events of the page make one item.
    if (std::ssize(answer->items) < kPageItems * 9 / 10) {
      return base::failure(base::ErrorCode::damaged,
                           fmt::format("a page has {} items", answer->items.size()));
    }
  }
  return latencies;
}

}  // namespace

base::Result<Figure> measure_transcript_page(Workbench& bench) {
  bench.progress("transcript_page_ms");
  const int items = bench.is_quick() ? kTranscriptItemsQuick : kTranscriptItems;
  const std::string home = bench.fresh_folder("transcript");
  base::SeededRandom random(1);
  TalkOnRecord brief;
  TalkOnRecord one_turn;
  TalkOnRecord whole;
  {
    const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
    if (!author) return tl::unexpected(author.error());
    struct Wanted {
      TalkOnRecord& talk;
      int items;
      int turn_items;
    };
    for (const Wanted& wanted :
         {Wanted{brief, kItemsShort, kItemsOfTurn}, Wanted{one_turn, kItemsLong, kItemsLong},
          Wanted{whole, items, kItemsOfTurn}}) {
      const auto added = add_talk_to(**author, wanted.items, wanted.turn_items);
      if (!added) return tl::unexpected(added.error());
      wanted.talk = *added;
    }
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  }
  const auto server = StenoServer::start_in(bench, home, kTranscriptStartMax);
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());
  // It would take a core meanwhile.
  if (auto ok = (*one)->wait_for_search_index(); !ok) return tl::unexpected(ok.error());

  Figure figure{0, {}};
  const auto measure = [&](const std::string& what, const TalkOnRecord& talk, base::Position after,
                           base::Position before) -> base::Result<void> {
    workers::QueryBody query;
    query.agent = kLogAgent;
    query.is_transcript = true;
    query.limit = kPageItems;
    query.reference = talk.session.text();
    query.after = after;
    query.before = before;
    const auto pages = measure_transcript(**one, query);
    if (!pages) return tl::unexpected(pages.error());
    const double took = seconds(pages->p50()) * 1000;
    if (&talk == &whole) figure.value = std::max(*figure.value, took);
    figure.raw.push_back(what + ": " + p50_and_p99(*pages));
    return {};
  };
  for (const auto& ok :
       {measure(fmt::format("the last of {}", items), whole, {}, {}),
        measure("in the middle, backwards", whole, {}, whole.middle),
        measure("in the middle, forwards", whole, whole.middle, {}),
        measure("the first", whole, base::Position{1}, {}),
        measure(fmt::format("the last of {}", kItemsShort), brief, {}, {}),
        measure(fmt::format("the last of one turn of {}", kItemsLong), one_turn, {}, {})}) {
    if (!ok) return tl::unexpected(ok.error());
  }
  figure.raw.push_back(fmt::format(
      "{} pages of {} items of {} B each, in turns of {}; the value is the slowest p50 of the long "
      "session{}",
      kTranscriptPages, kPageItems, kUsualContentBytes, kItemsOfTurn,
      bench.is_quick() ? "; --quick, so fewer items" : ""));
  return figure;
}

}  // namespace benchmarks
