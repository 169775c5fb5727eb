// Seals blocks itself and writes them without syncing, which is many times faster than the
// sequencer.
#include "tools/benchmarks/fold_log.hpp"

#include <fmt/format.h>

#include "eventlog/base/hash.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "tools/benchmarks/latencies.hpp"
#include "tools/benchmarks/session_history.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kBlockEvents = 256;
constexpr std::int64_t kProgressEvery = 1 << 16;
constexpr Nanoseconds kWriteMax = std::chrono::seconds(90);  // no further session after that

// Appends the blocks that the sequencer would, without its waiting.
class Writer {
 public:
  Writer(eventlog::BlockStore& store, base::Time now, base::Random& random)
      : store_(store), random_(random), now_(now) {
    header_.log = base::LogId::make(now, random);
    header_.epoch.counter = 1;
    header_.writer_term = 1;
  }

  base::Time now() const { return now_; }
  std::int64_t events() const { return events_; }
  std::size_t facts_bytes() const { return facts_bytes_; }

  base::Result<void> add(SessionHistory& session) {
    now_ = now_ + std::chrono::milliseconds(1);
    domain::RecordedEvent recorded;
    recorded.event = session.next(now_);
    domain::Envelope& e = recorded.envelope;
    e.stream = session.stream();
    e.version = session.version();
    e.type = recorded.event.type();
    e.event = base::EventId::make(now_, random_);
    e.command = base::CommandId::make(now_, random_);
    e.actor_kind = domain::ActorKind::worker;
    e.actor = "worker";
    e.token = {1};
    e.report_sequence = e.version.value;
    e.log_time = now_;
    e.wall_time = now_;
    if (has_content(recorded.event)) e.content = domain::ContentProof{any_digest(), 101};
    const base::Bytes facts = domain::encode_facts(recorded);
    facts_bytes_ += facts.size();
    ++events_;
    builder_.add(facts);
    return builder_.count() < kBlockEvents ? base::Result<void>() : seal();
  }

  base::Result<void> seal() {
    if (builder_.is_empty()) return {};
    header_.first = last_.next();
    header_.time = now_;
    const eventlog::SealedBlock block = builder_.seal(header_);
    const eventlog::AppendOutcome outcome = store_.append(block);
    if (outcome.status != eventlog::AppendStatus::stored) return tl::unexpected(outcome.error);
    header_.previous = block.hash;
    last_ = block.header.last();
    return {};
  }

 private:
  base::Hash any_digest() {
    base::Hash digest{};
    for (auto& byte : digest) byte = static_cast<char>(random_.below(256));
    return digest;
  }

  eventlog::BlockStore& store_;
  base::Random& random_;
  eventlog::BlockBuilder builder_;
  eventlog::BlockHeader header_;
  base::Position last_;
  base::Time now_;
  std::int64_t events_ = 0;
  std::size_t facts_bytes_ = 0;
};

}  // namespace

base::Result<FoldLog> write_fold_log(Workbench& bench, const std::string& folder,
                                     std::int64_t events) {
  FoldLog log;
  eventlog::RocksDbStoreOptions options;
  options.folder = folder;
  options.sync = false;
  {
    auto store = eventlog::open_rocksdb_store(options);
    if (!store) return tl::unexpected(store.error());
    base::SeededRandom random(1);
    Writer writer(**store, bench.clock().wall(), random);
    std::vector<SessionHistory> alive;
    std::int64_t shown = 0;
    const Nanoseconds end = now() + kWriteMax;
    const auto wants_more = [&] { return writer.events() < events && now() < end; };
    while (wants_more() || !alive.empty()) {
      while (alive.size() < kSessionsAlive && wants_more()) {
        alive.emplace_back(SessionIdentity::any(writer.now(), random), random);
        ++log.sessions;
      }
      if (is_stopped()) return stopped();
      const std::size_t chosen = random.below(alive.size());
      if (auto ok = writer.add(alive[chosen]); !ok) return tl::unexpected(ok.error());
      if (alive[chosen].has_ended()) {
        std::swap(alive[chosen], alive.back());
        alive.pop_back();
      }
      if (writer.events() >= shown) {
        bench.progress(fmt::format("fold_events_per_s, writing {} of {}", shown, events));
        shown += kProgressEvery;
      }
    }
    if (auto ok = writer.seal(); !ok) return tl::unexpected(ok.error());
    log.events = writer.events();
    log.facts_bytes = writer.facts_bytes();
  }
  // Opened again, as after a start, so that memory tables have become files.
  auto store = eventlog::open_rocksdb_store(options);
  if (!store) return tl::unexpected(store.error());
  log.store = std::move(*store);
  return log;
}

}  // namespace benchmarks
