#include "tools/benchmarks/fold_log.hpp"

#include <fmt/format.h>

#include "eventlog/base/hash.hpp"
#include "eventlog/rocksdb_store.hpp"
#include "eventlog/session/event_codec.hpp"
#include "eventlog/session/stream_name.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kSessionsAlive = 100;
constexpr std::int64_t kBlockEvents = 256;
// Real sessions have 375 lines on average; with what Steno adds itself this comes near it.
constexpr int kTurns = 12;
constexpr int kStepsOfTurn = 9;  // a tool call, its result, and a block of text
constexpr std::int64_t kProgressEvery = 1 << 16;

// Makes one session's events, one by one.
class Session {
 public:
  Session(base::Time now, base::Random& random)
      : random_(&random), id_(base::SessionId::make(now, random)) {
    name_ = session::session_stream("main", id_);
    worker_ = base::WorkerId::make(now, random);
  }

  const std::string& stream() const { return name_; }
  base::StreamVersion next_version() { return version_ = version_.next(); }
  bool has_ended() const { return has_ended_; }

  session::Event next(base::Time now) {
    const int step = step_++;
    if (step < kOpening) return opening(step, now);
    if (turns_ == kTurns) {
      has_ended_ = step == kOpening + 2;
      if (step == kOpening) return session::AgentExited{0, 0};
      if (step == kOpening + 1) return session::LeaseReleased{kToken};
      return session::SessionClosed{session::SessionStatus::completed, session::EndReason::none};
    }
    return in_turn(step - kOpening, now);
  }

 private:
  static constexpr int kOpening = 4;
  static constexpr base::FencingToken kToken{1};

  session::Event opening(int step, base::Time now) {
    switch (step) {
      case 0: {
        session::SessionOpened opened;
        opened.session = id_;
        opened.agent = "main";
        opened.name = "fix-login";
        opened.alias = "k3m9x0ab";
        opened.spec.engine = "claude";
        opened.spec.workdir = "/home/user/project";
        opened.spec.is_multi_turn = true;
        opened.lineage = id_;
        return opened;
      }
      case 1:
        return session::LeaseGranted{worker_, kToken, {}};
      case 2:
        return session::AgentStarted{4711, 123456};
      default:
        return session::AgentInitialized{base::EventId::make(now, *random_).text(),
                                         "claude-sonnet-4-5", "2.1.0"};
    }
  }

  session::Event in_turn(int step, base::Time now) {
    if (step == 0) {
      turn_ = base::TurnId::make(now, *random_);
      return session::TurnQueued{turn_};
    }
    if (step == 1) return session::TurnStarted{turn_, kToken};
    if (step == 2 + 3 * kStepsOfTurn) return finish();
    switch ((step - 2) % 3) {
      case 0:
        call_ = "toolu_01" + base::to_hex(base::EventId::make(now, *random_).view()).substr(10);
        return session::ToolCallStarted{turn_, call_, "Bash"};
      case 1:
        return session::ToolCallFinished{turn_, call_, false};
      default:
        return session::OutputRecorded{turn_, ++blocks_, session::OutputKind::text};
    }
  }

  session::Event finish() {
    step_ = kOpening;
    ++turns_;
    session::TurnCost cost;
    cost.usage = {1200, 350, 40000, 900};
    cost.cost.value = 30'000'000;
    cost.agent_total.value = cost.cost.value * turns_;
    cost.model_calls = kStepsOfTurn;
    cost.took = std::chrono::seconds(40);
    return session::TurnFinished{turn_, cost};
  }

  base::Random* random_;
  base::SessionId id_;
  std::string name_;
  base::WorkerId worker_;
  base::StreamVersion version_;
  base::TurnId turn_;
  std::string call_;
  std::int64_t blocks_ = 0;
  int turns_ = 0;
  int step_ = 0;
  bool has_ended_ = false;
};

// Appends to the store what the sequencer would, without its waiting.
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

  base::Result<bool> add(Session& session) {
    now_ = now_ + std::chrono::milliseconds(1);
    session::RecordedEvent recorded;
    recorded.event = session.next(now_);
    session::Envelope& e = recorded.envelope;
    e.stream = session.stream();
    e.version = session.next_version();
    e.type = session::type_name(recorded.event);
    e.event = base::EventId::make(now_, random_);
    e.command = base::CommandId::make(now_, random_);
    e.actor_kind = session::ActorKind::worker;
    e.actor = "worker";
    e.token = {1};
    e.report_sequence = e.version.value;
    e.log_time = now_;
    e.wall_time = now_;
    if (has_content(recorded.event)) e.content = session::ContentProof{any_digest(), 101};
    const base::Bytes facts = session::encode_facts(recorded);
    facts_bytes_ += facts.size();
    ++events_;
    builder_.add(facts);
    return builder_.count() < kBlockEvents ? true : seal();
  }

  base::Result<bool> seal() {
    if (builder_.is_empty()) return true;
    header_.first = last_.next();
    header_.time = now_;
    const eventlog::SealedBlock block = builder_.seal(header_);
    const eventlog::AppendOutcome outcome = store_.append(block);
    if (outcome.status != eventlog::AppendStatus::stored) return tl::unexpected(outcome.error);
    header_.previous = block.hash;
    last_ = block.header.last();
    return true;
  }

 private:
  static bool has_content(const session::Event& event) {
    return std::holds_alternative<session::TurnQueued>(event) ||
           std::holds_alternative<session::TurnFinished>(event) ||
           std::holds_alternative<session::OutputRecorded>(event) ||
           std::holds_alternative<session::ToolCallStarted>(event) ||
           std::holds_alternative<session::ToolCallFinished>(event);
  }

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
    std::vector<Session> alive;
    std::int64_t shown = 0;
    while (writer.events() < events || !alive.empty()) {
      while (writer.events() < events && alive.size() < kSessionsAlive) {
        alive.emplace_back(writer.now(), random);
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
  // Opened anew, as after a start: what lay in memory has gone to the files.
  auto store = eventlog::open_rocksdb_store(options);
  if (!store) return tl::unexpected(store.error());
  log.store = std::move(*store);
  return log;
}

}  // namespace benchmarks
