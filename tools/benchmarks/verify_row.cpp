// verify_over_blake2b: bytes a second of proving a whole log (chain, checksums, versions, times,
// states, and the digest of each content), over those of BLAKE2b alone. BLAKE2b takes a block's
// facts and its content in one go each. On one core, by turns, with contents of 200 B and of 1 KB;
// the value is the smaller ratio.
#include <fmt/format.h>

#include <algorithm>

#include "eventlog/proof/verify.hpp"
#include "tools/benchmarks/fold_pass.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_core.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kVerifiedContentBytes[] = {200, 1000};
constexpr std::int64_t kVerifiedEventsFull = 2'000'000;
constexpr std::int64_t kVerifiedEventsQuick = 100'000;
constexpr int kVerifyTurns = 3;

struct Hashed {
  Nanoseconds took{0};
  std::int64_t bytes = 0;
  std::int64_t contents = 0;
  char folded = 0;  // of all hashes, so that the compiler cannot leave them out
};

// Times only the hashing; the blocks are in memory by then.
base::Result<Hashed> hash_alone(eventlog::BlockStore& store, std::size_t content_bytes,
                                bool is_each_content) {
  Hashed hashed;
  const base::Bytes one(content_bytes, 'c');
  const base::Salt salt{};
  std::int64_t next = store.first().value;
  while (next <= store.tail().value) {
    const auto blocks = store.read(base::Position{next}, kReadBytes, true);
    if (!blocks) return tl::unexpected(blocks.error());
    for (const eventlog::StoredBlock& stored : *blocks) {
      const auto header = eventlog::claimed_header(stored.facts);
      const auto content = base::decode<eventlog::ContentBlock>(stored.content);
      if (!header) return base::failure(base::ErrorCode::damaged, "a block without a header");
      next = header->last().next().value;
      const auto count = content ? content->entries.size() : 0;
      hashed.contents += static_cast<std::int64_t>(count);
      hashed.bytes += static_cast<std::int64_t>(stored.facts.size() + stored.content.size());
      const Nanoseconds begun = now();
      hashed.folded = static_cast<char>(hashed.folded ^ base::blake2b(stored.facts)[0]);
      if (is_each_content) {
        for (std::size_t i = 0; i < count; ++i) {
          hashed.folded = static_cast<char>(hashed.folded ^ base::blake2b(one, salt)[0]);
        }
      } else {
        hashed.folded = static_cast<char>(hashed.folded ^ base::blake2b(stored.content)[0]);
      }
      hashed.took += now() - begun;
    }
  }
  return hashed;
}

struct VerifiedSize {
  double ratio = 0;
  std::vector<std::string> raw;
};

base::Result<VerifiedSize> measure_size(Workbench& bench, std::size_t content_bytes) {
  const std::string folder = bench.fresh_folder("verify");
  const std::int64_t events = bench.is_quick() ? kVerifiedEventsQuick : kVerifiedEventsFull;
  base::SeededRandom random(1);
  bench.progress(fmt::format("verify_over_blake2b, writing {} events", events));
  {
    auto author = LogAuthor::create(folder + "/data", random);
    if (!author) return tl::unexpected(author.error());
    if (auto ok = (*author)->add_histories(events, content_bytes); !ok) {
      return tl::unexpected(ok.error());
    }
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  }
  const auto log = eventlog::open_unproved_log(folder + "/data");
  if (!log) return tl::unexpected(log.error());

  const OneCore pinned;
  std::vector<double> ratios;
  std::vector<double> ratios_each;
  std::vector<double> verified;
  Hashed bulk;
  eventlog::VerifyReport report;
  for (int turn = 0; turn < kVerifyTurns; ++turn) {
    bench.progress(fmt::format("verify_over_blake2b {}/{}", turn + 1, kVerifyTurns));
    const auto hashed = hash_alone(*log->store, content_bytes, false);
    if (!hashed) return tl::unexpected(hashed.error());
    const auto each = hash_alone(*log->store, content_bytes, true);
    if (!each) return tl::unexpected(each.error());
    const Nanoseconds begun = now();
    report = eventlog::verify_log(*log->store, log->head);
    const Nanoseconds took = now() - begun;
    if (turn > 0 && hashed->folded != bulk.folded) {
      return base::failure(base::ErrorCode::damaged, "the same bytes have other hashes");
    }
    bulk = *hashed;
    ratios.push_back(seconds(hashed->took) / seconds(took));
    ratios_each.push_back(seconds(each->took) / seconds(took));
    verified.push_back(seconds(took));
  }
  if (!report.problems.empty() || report.contents != bulk.contents || report.contents == 0) {
    return base::failure(base::ErrorCode::damaged, "the log was not proved, or has no contents");
  }
  const double megabytes = static_cast<double>(bulk.bytes) / 1e6;
  const auto count = static_cast<double>(report.events);
  VerifiedSize size{median(ratios), {}};
  size.raw.push_back(fmt::format(
      "contents of {} B: {:.3f}; verified {:.0f} MB/s, {}; BLAKE2b in bulk {:.0f} MB/s; over the "
      "hashes that a proof needs, one of each content: {:.3f}",
      content_bytes, size.ratio, megabytes / median(verified), rate_text(count / median(verified)),
      megabytes / seconds(bulk.took), median(ratios_each)));
  size.raw.push_back(
      fmt::format("    {} events, {} of them with content; {:.0f} MB; the middle of "
                  "{} turns",
                  report.events, report.contents, megabytes, kVerifyTurns));
  bench.remove(folder);
  return size;
}

}  // namespace

base::Result<Figure> measure_verify(Workbench& bench) {
  Figure figure;
  for (const std::size_t content_bytes : kVerifiedContentBytes) {
    const auto size = measure_size(bench, content_bytes);
    if (!size) return tl::unexpected(size.error());
    figure.value = std::min(figure.value.value_or(size->ratio), size->ratio);
    figure.raw.insert(figure.raw.end(), size->raw.begin(), size->raw.end());
  }
  return figure;
}

}  // namespace benchmarks
