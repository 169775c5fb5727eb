// conversation_list_ms: a page of the conversations that changed last, out of many; asked over ipc
// and decoded.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_conversations.hpp"
#include "tools/benchmarks/stop.hpp"
#include "workers/protocol/conversations.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kPageConversations = 50;
constexpr int kListedTimesMax = 100;
constexpr Nanoseconds kListedMax = std::chrono::seconds(10);  // of one kind
constexpr Nanoseconds kListedMaxQuick = std::chrono::milliseconds(1500);
constexpr int kListedStarts = 3;

// A page of the list, asked several times over ipc and decoded.
struct ListedPage {
  Latencies latencies;
  workers::ConversationsAnswer answer;

  std::string text(const std::string& what) const {
    return fmt::format("{}: {}, asked {} times", what, p50_and_p99(latencies), latencies.count());
  }
};

base::Result<ListedPage> list_page(OneCommand& one, const workers::QueryBody& query,
                                   Nanoseconds most) {
  ListedPage page;
  const Nanoseconds begun = now();
  for (int i = 0; i < kListedTimesMax && (i == 0 || now() < begun + most); ++i) {
    if (is_stopped()) return stopped();
    const Nanoseconds asked = now();
    auto answer = one.answer_to<workers::ConversationsAnswer>(workers::kVerbConversations, query);
    if (!answer) return tl::unexpected(answer.error());
    page.latencies.add(now() - asked);
    page.answer = std::move(*answer);
  }
  if (std::ssize(page.answer.conversations) == kPageConversations) return page;
  return base::failure(base::ErrorCode::damaged, fmt::format("a page has {} conversations",
                                                             page.answer.conversations.size()));
}

workers::QueryBody newest_page() {
  workers::QueryBody query;
  query.agent = kLogAgent;
  query.limit = kPageConversations;
  return query;
}

}  // namespace

base::Result<Figure> measure_conversation_list(Workbench& bench) {
  const auto& home = many_conversations(bench);
  if (!home) return tl::unexpected(home.error());
  bench.progress("conversation_list_ms");
  const Nanoseconds most = bench.is_quick() ? kListedMaxQuick : kListedMax;
  const workers::QueryBody newest = newest_page();
  std::vector<double> starts_ms;
  std::vector<double> ready_ms;
  std::unique_ptr<StenoServer> server;
  std::unique_ptr<OneCommand> one;
  for (int start = 0; start < kListedStarts; ++start) {
    one.reset();
    server.reset();
    const Nanoseconds begun = now();
    auto started = StenoServer::start_in(bench, home->home, kConversationsStartMax);
    if (!started) return tl::unexpected(started.error());
    ready_ms.push_back(seconds(now() - begun) * 1000);
    server = std::move(*started);
    auto connected = OneCommand::connect(bench, *server);
    if (!connected) return tl::unexpected(connected.error());
    one = std::move(*connected);
    const auto answered = one->ask(workers::kVerbConversations, newest);
    if (!answered) return tl::unexpected(answered.error());
    starts_ms.push_back(seconds(now() - begun) * 1000);
  }
  const auto first = list_page(*one, newest, most);
  if (!first) return tl::unexpected(first.error());
  workers::QueryBody query = newest;
  query.filter.edit().before = first->answer.conversations.back().updated_at;
  query.filter.edit().before_key = first->answer.conversations.back().key;
  const auto next = list_page(*one, query, most);
  if (!next) return tl::unexpected(next.error());
  query = newest;
  query.filter.edit().label = conversation_label(7);
  const auto labelled = list_page(*one, query, most);
  if (!labelled) return tl::unexpected(labelled.error());
  one.reset();
  server.reset();

  const auto small =
      StenoConversations::open(bench, bench.fresh_folder("conversations-few"), kFewConversations);
  if (!small) return tl::unexpected(small.error());
  const auto one_of_few = OneCommand::connect(bench, *small->server);
  if (!one_of_few) return tl::unexpected(one_of_few.error());
  const auto few = list_page(**one_of_few, newest, most);
  if (!few) return tl::unexpected(few.error());
  return Figure{
      seconds(first->latencies.p50()) * 1000,
      {first->text(fmt::format("those of {} that changed last", home->count)),
       next->text("the next page"),
       labelled->text(fmt::format("those with a label that one in {} has", kConversationLabels)),
       few->text(fmt::format("those of {} that changed last", kFewConversations)),
       fmt::format("start of the server with {}: {:.0f} ms to this answer, ready after {:.0f} ms; "
                   "the middle of {}",
                   home->count, median(starts_ms), median(ready_ms), kListedStarts),
       fmt::format("pages of {}; {} conversations opened in {:.1f} s{}", kPageConversations,
                   home->count, seconds(home->opened_in),
                   bench.is_quick() ? "; --quick, so fewer conversations" : "")}};
}

}  // namespace benchmarks
