// search_ms: p50 of a search over a million short texts, asked over ipc and decoded. A text has
// twelve words out of 20,000, of which the n-th is said n times as seldom as the first, as in a
// language. The words that are searched are spread evenly over the ranks, but for the first ten.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/stop.hpp"
#include "workers/protocol/queries.hpp"

namespace benchmarks {
namespace {

constexpr int kTexts = 1'000'000;
constexpr int kTextsQuick = 50'000;
constexpr int kTextsOfSession = 1'000;
constexpr int kWordsOfText = 12;
constexpr std::uint64_t kRanks = 20'000;
constexpr int kSearches = 200;

std::string word_of(std::uint64_t rank) {
  return fmt::format("w{:x}", rank * 2'654'435'761 % 4'294'967'291);
}

// Words with the frequencies of Zipf's law.
class Words {
 public:
  explicit Words(base::Random& random) : random_(random) {
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= kRanks; ++rank) {
      sum += 1.0 / static_cast<double>(rank);
      sums_.push_back(sum);
    }
  }

  std::string text() {
    std::string text;
    for (int i = 0; i < kWordsOfText; ++i) text += word_of(rank()) + " ";
    return text;
  }

 private:
  std::uint64_t rank() {
    constexpr std::uint64_t kSteps = 1'000'000'000;
    const double at = sums_.back() * static_cast<double>(random_.below(kSteps)) / kSteps;
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return static_cast<std::uint64_t>(found - sums_.begin()) + 1;
  }

  base::Random& random_;
  std::vector<double> sums_;
};

base::Result<void> write_texts(const std::string& home, int texts) {
  base::SeededRandom random(1);
  const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
  if (!author) return tl::unexpected(author.error());
  Words words(random);
  for (int left = texts; left > 0; left -= kTextsOfSession) {
    if (is_stopped()) return stopped();
    const auto id =
        (*author)->add_talk(std::min(left, kTextsOfSession), [&] { return words.text(); });
    if (!id) return tl::unexpected(id.error());
  }
  return (*author)->flush();
}

}  // namespace

base::Result<Figure> measure_search(Workbench& bench) {
  bench.progress("search_ms");
  const int texts = bench.is_quick() ? kTextsQuick : kTexts;
  const std::string home = bench.fresh_folder("search");
  if (auto ok = write_texts(home, texts); !ok) return tl::unexpected(ok.error());
  const auto server = StenoServer::start_in(bench, home, std::chrono::minutes(5));
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());
  const auto built = (*one)->wait_for_search_index();
  if (!built) return tl::unexpected(built.error());

  Figure figure{0, {}};
  const auto measure = [&](const std::string& what, std::uint64_t first, workers::SearchOrder order,
                           int words) -> base::Result<void> {
    base::SeededRandom random(2);
    Latencies latencies;
    workers::QueryBody query;
    query.agent = kLogAgent;
    query.order = order;
    for (int i = 0; i < kSearches; ++i) {
      if (is_stopped()) return stopped();
      query.words.clear();
      for (int word = 0; word < words; ++word) {
        query.words += word_of(first + random.below(kRanks - first)) + " ";
      }
      const auto took = (*one)->ask(workers::kVerbSearch, query);
      if (!took) return tl::unexpected(took.error());
      latencies.add(*took);
    }
    if (figure.raw.empty()) figure.value = seconds(latencies.p50()) * 1000;
    figure.raw.push_back(what + ": " + p50_and_p99(latencies));
    return {};
  };
  constexpr std::uint64_t kOften = 10;
  using workers::SearchOrder;
  for (const auto& ok : {measure("a word, best first", kOften, SearchOrder::best, 1),
                         measure("a word, newest first", kOften, SearchOrder::newest, 1),
                         measure("two words, best first", kOften, SearchOrder::best, 2)}) {
    if (!ok) return tl::unexpected(ok.error());
  }
  for (const std::string& word :
       {word_of(1), word_of(10), word_of(100), word_of(1'000), std::string("w*")}) {
    workers::QueryBody query;
    query.agent = kLogAgent;
    query.words = word;
    Latencies latencies;
    for (int i = 0; i < kSearches / 10; ++i) {
      const auto took = (*one)->ask(workers::kVerbSearch, query);
      if (!took) return tl::unexpected(took.error());
      latencies.add(*took);
    }
    figure.raw.push_back(fmt::format("{}: {}", word, p50_and_p99(latencies)));
  }
  figure.raw.push_back("these were the words of ranks 1, 10, 100 and 1,000, and all words");
  figure.raw.push_back(fmt::format(
      "{} texts of {} words; {} searches; the index is {:.0f} MB and was built in {:.0f} s{}",
      texts, kWordsOfText, kSearches, static_cast<double>(bytes_of(home, ".db")) / 1e6,
      seconds(*built), bench.is_quick() ? "; --quick, so fewer texts" : ""));
  return figure;
}

}  // namespace benchmarks
