// fold_events_per_s: reads a log from its first block to its last, checks each block, decodes its
// events' facts and folds them into the states of their sessions, on one thread that is bound to
// one core, with the log in the page cache.
#include <sched.h>

#include <fmt/format.h>

#include <algorithm>
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
constexpr std::int64_t kEventsOfStage = 1'000'000;  // enough to see what each stage costs
constexpr std::size_t kReadBytes = 4 << 20;         // as the projector reads
constexpr int kTurnsMax = 3;
constexpr Nanoseconds kTurnsTime = std::chrono::seconds(60);  // no further turn after it

// How far a pass goes: each does what the one before does, and one thing more.
enum class Stage { scan, check, decode, fold };

using States = std::unordered_map<std::string, session::StreamState>;

struct Pass {
  std::int64_t events = 0;
  session::RecordedEvent recorded;  // the one at hand
  States states;
  Nanoseconds took{0};

  double per_second() const { return static_cast<double>(events) / seconds(took); }
};

base::Result<bool> take_block(const eventlog::StoredBlock& stored, Stage stage, Pass& pass) {
  const auto block = eventlog::parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  if (stage < Stage::decode) return true;
  base::Position position = block->header.first;
  session::RecordedEvent& recorded = pass.recorded;
  for (const base::ByteView facts : block->events) {
    if (auto ok = session::decode_facts_to(recorded, facts); !ok) return ok;
    recorded.envelope.position = position;
    position = position.next();
    if (stage < Stage::fold) continue;
    const auto [at, is_new] = pass.states.try_emplace(recorded.envelope.stream);
    if (is_new) at->second = *session::initial_state(recorded.envelope.stream);
    session::evolve(at->second, recorded.envelope, recorded.event);
  }
  return true;
}

// From the first event, until so many at least are done.
base::Result<Pass> run_pass(eventlog::BlockStore& store, Stage stage, std::int64_t events) {
  Pass pass;
  const Nanoseconds begun = now();
  while (pass.events < events) {
    if (is_stopped()) return stopped();
    const auto blocks = store.read(base::Position{pass.events + 1}, kReadBytes, false);
    if (!blocks) return tl::unexpected(blocks.error());
    if (blocks->empty()) break;
    for (const eventlog::StoredBlock& stored : *blocks) {
      const auto header = eventlog::claimed_header(stored.facts);
      if (!header) return base::failure(base::ErrorCode::damaged, "a block without a header");
      pass.events = header->last().value;
      if (stage == Stage::scan) continue;
      if (auto ok = take_block(stored, stage, pass); !ok) return tl::unexpected(ok.error());
    }
  }
  pass.took = now() - begun;
  return pass;
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

// "scan 4,000,000/s, and check 900,000/s, …": each stage does what the one before does, too.
base::Result<std::string> measure_stages(Workbench& bench, const FoldLog& log) {
  const std::pair<Stage, std::string> stages[] = {{Stage::scan, "scan"},
                                                  {Stage::check, "and check"},
                                                  {Stage::decode, "and decode"},
                                                  {Stage::fold, "and fold"}};
  std::string text;
  for (const auto& [stage, name] : stages) {
    bench.progress("fold_events_per_s, " + name);
    const auto pass = run_pass(*log.store, stage, std::min(log.events, kEventsOfStage));
    if (!pass) return tl::unexpected(pass.error());
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, rate_text(pass->per_second()));
  }
  return text;
}

}  // namespace

base::Result<Figure> measure_fold(Workbench& bench) {
  const std::string folder = bench.fresh_folder("fold");
  auto log = write_fold_log(bench, folder, bench.is_quick() ? kEventsQuick : kEventsFull);
  if (!log) return tl::unexpected(log.error());
  const OneCore pinned;
  const auto stages = measure_stages(bench, *log);
  if (!stages) return tl::unexpected(stages.error());
  std::vector<double> rates;
  const Nanoseconds end = now() + kTurnsTime;
  for (int turn = 0; turn < kTurnsMax && (turn == 0 || now() < end); ++turn) {
    bench.progress(fmt::format("fold_events_per_s {}/{}", turn + 1, kTurnsMax));
    const auto pass = run_pass(*log->store, Stage::fold, log->events);
    if (!pass) return tl::unexpected(pass.error());
    if (auto ok = check_states(*log, *pass); !ok) return tl::unexpected(ok.error());
    rates.push_back(pass->per_second());
  }
  Figure figure;
  figure.value = median(rates);
  figure.raw = {
      *stages, fmt::format("{} events of {} sessions, {:.0f} B of facts each, in blocks of 256, in "
                           "the page cache; the middle of {} turns",
                           log->events, log->sessions,
                           static_cast<double>(log->facts_bytes) / static_cast<double>(log->events),
                           rates.size())};
  log->store.reset();
  bench.remove(folder);
  return figure;
}

}  // namespace benchmarks
