// Appended events go into the open block; do_work() seals that block whenever the committer is
// idle. Events stay in `pending_` until the durable position has passed them.
#include "eventlog/log/sequencer.hpp"

#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/base/rare_branches.hpp"
#include "eventlog/domain/event_codec.hpp"

namespace eventlog {

Result<LogTail> read_tail(BlockStore& store) {
  if (store.tail().value == 0) return LogTail{};
  auto blocks = store.read(store.tail(), 1, false);
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return base::failure(base::ErrorCode::damaged, "the last block is missing");
  const auto block = parse_block(blocks->front().facts);
  if (!block) return tl::unexpected(block.error());
  const BlockHeader& h = block->header;
  return LogTail{h.log, h.epoch, h.writer_term, h.last(), block->hash(), h.time};
}

Result<void> check_numbers(const LogTail& tail) {
  const bool has_writers = tail.writer_term < kWriterTermMax;
  if (has_writers && tail.epoch.counter < base::kIntegerLimit - 1) return {};
  const std::string number = has_writers ? "epoch " + std::to_string(tail.epoch.counter)
                                         : "writer term " + std::to_string(tail.writer_term);
  return base::failure(base::ErrorCode::invalid,
                       "no server can continue this log: its " + number +
                           " is the highest possible; read it with steno replay, and begin another "
                           "log in a new folder",
                       "position " + std::to_string(tail.position.value));
}

Sequencer::Sequencer(LogTail tail, Committer& committer, base::Random& random)
    : committer_(committer), random_(random), tail_(tail) {
  ++tail_.writer_term;
  durable_checkpoint_ = {tail_.log, tail_.epoch, tail_.position, tail_.hash};
}

Position Sequencer::durable() const {
  if (base::mutant(base::Mutant::acknowledge_before_sync)) return tail_.position;
  return durable_checkpoint_.position;
}

Result<std::vector<const SequencedEvent*>> Sequencer::append(std::vector<StreamAppend> appends,
                                                             const AppendContext& context) {
  std::vector<Head*> heads;
  heads.reserve(appends.size());
  std::size_t count = 0;
  for (const StreamAppend& append : appends) {
    const auto head = heads_.find(append.stream);
    CHECK(head != heads_.end());
    heads.push_back(&*head);
    count += append.events.size();
    if (head->second != append.expected) {
      return base::failure(base::ErrorCode::conflict,
                           "stream is at version " + std::to_string(head->second.value) +
                               ", not at " + std::to_string(append.expected.value),
                           append.stream);
    }
  }
  std::vector<const SequencedEvent*> sequenced;
  sequenced.reserve(count);
  AppendContext unreported = context;
  unreported.token = {};
  unreported.report_sequence = 0;
  for (std::size_t i = 0; i < appends.size(); ++i) {
    for (NewEvent& event : appends[i].events) {
      heads[i]->second = heads[i]->second.next();
      add(*heads[i], std::move(event), appends[i].is_reported ? context : unreported);
      sequenced.push_back(&pending_.back());
    }
  }
  return sequenced;
}

void Sequencer::add(const Head& head, NewEvent event, const AppendContext& context) {
  const auto& [stream, version] = head;
  tail_.position = tail_.position.next();
  tail_.time = std::max(tail_.time, context.log_time);

  domain::RecordedEvent recorded;
  recorded.event = std::move(event.event);
  domain::Envelope& e = recorded.envelope;
  e.position = tail_.position;
  e.stream = stream;
  e.version = version;
  e.type = recorded.event.type();
  e.event = base::EventId::make(context.log_time, random_);
  e.command = context.command;
  e.command_digest = context.command_digest;
  e.correlation = context.correlation;
  e.causation = context.causation;
  e.actor_kind = context.actor_kind;
  e.actor = context.actor;
  e.token = context.token;
  e.report_sequence = context.report_sequence;
  e.traceparent = context.traceparent;
  e.log_time = tail_.time;
  e.wall_time = context.wall_time;

  Bytes content;
  base::Salt salt{};
  if (!event.content.text.empty()) {
    content = domain::encode_content(event.content);
    salt = base::make_salt(random_);
    e.content = domain::ContentProof{base::blake2b(content, salt),
                                     static_cast<std::int64_t>(event.content.text.size())};
    recorded.content = std::move(event.content);
  }
  Bytes facts = domain::encode_facts(recorded);
  open_.add(facts);
  if (content.size() > kInlineContentMax) {
    std::vector<Chunk> chunks;
    for (std::size_t at = 0; at < content.size(); at += kChunkBytes) {
      const auto index = static_cast<std::uint32_t>(chunks.size());
      chunks.push_back(
          {chunk_key(stream, e.content->digest, index), content.substr(at, kChunkBytes)});
    }
    open_.add_chunks(salt, std::move(chunks));
  } else if (!content.empty()) {
    open_.add_content(salt, std::move(content));
  }
  pending_.push_back({std::move(recorded), std::move(facts)});
}

bool Sequencer::do_work() {
  thread_.check();
  bool has_worked = false;
  if (auto done = committer_.poll()) {
    has_worked = true;
    if (done->outcome.status == AppendStatus::stored) {
      durable_checkpoint_.position = done->block.header.last();
      durable_checkpoint_.hash = done->block.hash;
    } else {
      base::rare(base::Rare::append_doubtful);
      failure_ = done->outcome.error;
    }
  }
  if (failure_ || open_.is_empty() || !committer_.is_idle()) return has_worked;
  BlockHeader header;
  header.log = tail_.log;
  header.epoch = tail_.epoch;
  header.writer_term = tail_.writer_term;
  header.first = tail_.position.plus(1 - open_.count());
  header.time = tail_.time;
  header.previous = tail_.hash;
  SealedBlock block = open_.seal(header);
  tail_.hash = block.hash;
  committer_.submit(std::move(block));
  return true;
}

std::vector<SequencedEvent> Sequencer::take_durable() {
  std::vector<SequencedEvent> durable_events;
  const Position reached = durable();
  while (!pending_.empty() && pending_.front().recorded.envelope.position <= reached) {
    durable_events.push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  return durable_events;
}

}  // namespace eventlog
