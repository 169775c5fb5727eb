// Stages nest, so that the difference of two of them is the cost of one step.
#include "tools/benchmarks/fold_pass.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

base::Result<void> take_block(const eventlog::StoredBlock& stored, Stage stage, Pass& pass) {
  const auto block = eventlog::parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  if (stage < Stage::decode) return {};
  base::Position position = block->header.first;
  domain::RecordedEvent& recorded = pass.recorded;
  for (const base::ByteView facts : block->events) {
    if (auto ok = domain::decode_facts_to(recorded, facts); !ok) return ok;
    recorded.envelope.position = position;
    position = position.next();
    if (stage < Stage::fold) continue;
    const auto [at, is_new] = pass.states.try_emplace(recorded.envelope.stream);
    if (is_new) at->second = *domain::initial_state(recorded.envelope.stream);
    domain::evolve(at->second, recorded.envelope, recorded.event);
  }
  return {};
}

}  // namespace

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

}  // namespace benchmarks
