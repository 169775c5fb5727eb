// fold_events_per_s: reads a log from its first block to its last, checks each block, decodes its
// events' facts and folds them into the states of their sessions, on one thread that is bound to
// one core, with the log in the page cache.
#include <sched.h>

#include <fmt/format.h>

#include <unordered_map>

#include "eventlog/session/event_codec.hpp"
#include "eventlog/session/evolve.hpp"
#include "tools/benchmarks/fold_log.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kEventsFull = 10'000'000;
constexpr std::int64_t kEventsQuick = 300'000;
constexpr std::size_t kReadBytes = 4 << 20;  // as the projector reads

// How far a pass goes: each does what the one before does, and one thing more.
enum class Stage { scan, check, decode, fold };

using States = std::unordered_map<std::string, session::StreamState>;

struct Pass {
  std::int64_t events = 0;
  States states;
};

base::Result<bool> take_block(const eventlog::StoredBlock& stored, Stage stage, Pass& pass) {
  const auto block = eventlog::parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  pass.events += block->header.count;
  if (stage < Stage::decode) return true;
  base::Position position = block->header.first;
  for (const base::ByteView facts : block->events) {
    auto recorded = session::decode_facts(facts);
    if (!recorded) return tl::unexpected(recorded.error());
    recorded->envelope.position = position;
    position = position.next();
    if (stage < Stage::fold) continue;
    const auto [at, is_new] = pass.states.try_emplace(recorded->envelope.stream);
    if (is_new) at->second = *session::initial_state(recorded->envelope.stream);
    session::evolve(at->second, recorded->envelope, recorded->event);
  }
  return true;
}

base::Result<Nanoseconds> run_pass(eventlog::BlockStore& store, Stage stage, Pass& pass) {
  const Nanoseconds begun = now();
  base::Position from{1};
  while (from <= store.tail()) {
    if (is_stopped()) return stopped();
    const auto blocks = store.read(from, kReadBytes, false);
    if (!blocks) return tl::unexpected(blocks.error());
    if (blocks->empty()) break;
    if (stage > Stage::scan) {
      for (const eventlog::StoredBlock& stored : *blocks) {
        if (auto ok = take_block(stored, stage, pass); !ok) return tl::unexpected(ok.error());
      }
    }
    const auto last = eventlog::claimed_header(blocks->back().facts);
    if (!last) return base::failure(base::ErrorCode::damaged, "a block without a header");
    from = last->last().next();
  }
  return now() - begun;
}

// That the fold has really been made, and of sound sessions.
base::Result<bool> check_states(const FoldLog& log, const Pass& pass) {
  bool is_sound =
      pass.events == log.events && pass.states.size() == static_cast<std::size_t>(log.sessions);
  for (const auto& [name, state] : pass.states) {
    const auto* folded = std::get_if<session::SessionState>(&state);
    is_sound = is_sound && folded != nullptr && folded->inconsistent.value == 0 &&
               folded->status == session::SessionStatus::completed;
  }
  if (is_sound) return true;
  return base::failure(base::ErrorCode::damaged, "the fold is not of what was written");
}

class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace

base::Result<Figure> measure_fold(Workbench& bench) {
  const std::string folder = bench.fresh_folder("fold");
  auto log = write_fold_log(bench, folder, bench.is_quick() ? kEventsQuick : kEventsFull);
  if (!log) return tl::unexpected(log.error());
  constexpr int kTurns = 3;
  const std::pair<Stage, std::string> stages[] = {{Stage::scan, "scan"},
                                                  {Stage::check, "and check"},
                                                  {Stage::decode, "and decode"},
                                                  {Stage::fold, "and fold"}};
  std::vector<double> rates[std::size(stages)];
  {
    const OneCore pinned;
    for (int turn = 0; turn < kTurns; ++turn) {
      for (std::size_t i = 0; i < std::size(stages); ++i) {
        bench.progress(
            fmt::format("fold_events_per_s {}/{}, {}", turn + 1, kTurns, stages[i].second));
        Pass pass;
        const auto took = run_pass(*log->store, stages[i].first, pass);
        if (!took) return tl::unexpected(took.error());
        if (stages[i].first == Stage::fold) {
          if (auto ok = check_states(*log, pass); !ok) return tl::unexpected(ok.error());
        }
        rates[i].push_back(static_cast<double>(log->events) / seconds(*took));
      }
    }
  }
  Figure figure;
  figure.value = median(rates[std::size(stages) - 1]);
  std::string line;
  for (std::size_t i = 0; i < std::size(stages); ++i) {
    line += (i == 0 ? "" : ", ") + stages[i].second + " " + rate_text(median(rates[i]));
  }
  figure.raw = {
      line, fmt::format("{} events of {} sessions, {:.0f} B of facts each, in blocks of "
                        "256, in the page cache; the middle of {} turns",
                        log->events, log->sessions,
                        static_cast<double>(log->facts_bytes) / static_cast<double>(log->events),
                        kTurns)};
  log->store.reset();
  bench.remove(folder);
  return figure;
}

}  // namespace benchmarks
