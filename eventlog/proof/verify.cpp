// Follows the blocks from the first to the last; verify_events.cpp looks into each. Unreadable and
// damaged stretches are noted as lost, and checking goes on behind them.
#include "eventlog/proof/verify.hpp"

#include <algorithm>
#include <unordered_set>

#include "eventlog/log/log_reader.hpp"
#include "eventlog/proof/verify_events.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using domain::RecordedEvent;

class Verifier {
 public:
  Verifier(BlockStore& store, const std::optional<Checkpoint>& head, std::vector<Witness> witnesses)
      : store_(store), head_(head), witnesses_(std::move(witnesses)), events_(store, findings_) {
    if (head_) witnesses_.push_back({"the head file", *head_});
  }

  void know(const VerifyBesides& besides) {
    events_.know(besides);
    if (besides.begin) begin_at(*besides.begin);
  }
  VerifyReport run(const VerifyProgress& progress);

 private:
  void begin_at(const Checkpoint& begin);
  Position skip_unreadable(Position from, const base::Error& error);
  Position next_readable(Position from);

  bool take_all(const std::vector<StoredBlock>& blocks, bool has_content);
  bool take(const StoredBlock& stored, const Hash& hash, bool has_content);
  void take_damaged(const StoredBlock& stored, const base::Error& error);
  bool check_header(const BlockView& block);
  void check_witnesses(const BlockView& block, const Hash& hash);
  void check_epoch(const BlockHeader& header, const std::optional<RecordedEvent>& first);
  void check_end();
  void lose(Position from, Position through, const std::string& text,
            ErrorCode code = ErrorCode::damaged);

  BlockStore& store_;
  const std::optional<Checkpoint> head_;
  std::vector<Witness> witnesses_;  // the head among them
  Findings findings_;
  VerifyReport& report_ = findings_.report;
  EventVerifier events_;
  Position next_{1};                     // where the next block must begin
  std::optional<BlockHeader> previous_;  // the last whole block
  bool is_chain_known_ = true;           // the block before is whole, so its hash is known
  bool is_newer_ = false;  // met a block of a later release: nothing more can be checked
  std::unordered_set<std::uint64_t> damaged_;  // xxh3 of the blocks that are listed as damaged
};

// Begins as if the block that ends there had been taken.
void Verifier::begin_at(const Checkpoint& begin) {
  BlockHeader before;
  before.log = report_.log = begin.log;
  before.epoch = report_.epoch = begin.epoch;
  before.first = begin.position;
  before.count = 1;
  previous_ = before;
  report_.hash = begin.hash;
  next_ = begin.position.next();
}

VerifyReport Verifier::run(const VerifyProgress& progress) {
  const Position tail = store_.tail();
  std::size_t step = kScanBytes;
  Position from = next_;
  while (from <= tail && !is_newer_) {
    bool has_content = true;
    auto blocks = store_.read(from, step, has_content);
    if (!blocks && step > 1) {
      step = 1;  // read one by one up to the unreadable block
      continue;
    }
    if (!blocks) {
      const base::Error error = blocks.error();
      has_content = false;
      blocks = store_.read(from, step, has_content);
      if (!blocks) {
        from = skip_unreadable(from, blocks.error());
        continue;
      }
      findings_.add(from, "the block's content cannot be read: " + base::describe(error));
    }
    if (take_all(*blocks, has_content)) step = kScanBytes;
    // A damaged block whose length is not known comes again with the next read, and is passed over.
    from = std::max(next_, from.next());
    if (progress) progress(std::min(from.plus(-1), tail), tail);
  }
  check_end();
  events_.finish();
  report_.streams = static_cast<std::int64_t>(events_.streams());
  return std::move(findings_.report);
}

Position Verifier::skip_unreadable(Position from, const base::Error& error) {
  const Position readable = next_readable(from);
  lose(from, readable.plus(-1), "not readable: " + base::describe(error),
       error.code == ErrorCode::wrong_log ? ErrorCode::wrong_log : ErrorCode::damaged);
  is_chain_known_ = false;
  next_ = readable;
  return readable;
}

// Finds the end of the unreadable stretch by doubling steps, then halving.
Position Verifier::next_readable(Position from) {
  const Position end = store_.tail().next();
  const auto is_readable = [&](Position at) { return at >= end || store_.read(at, 1, true); };
  std::int64_t distance = 1;
  while (!is_readable(from.plus(distance))) distance *= 2;
  Position bad = from.plus(distance / 2);
  Position good = std::min(from.plus(distance), end);
  while (bad.next() < good) {
    const Position middle{bad.value + (good.value - bad.value) / 2};
    (is_readable(middle) ? good : bad) = middle;
  }
  return good;
}

// Returns true if at least one of the blocks is new.
bool Verifier::take_all(const std::vector<StoredBlock>& blocks, bool has_content) {
  const std::vector<Hash> hashes = hashes_of(blocks);
  bool is_new = false;
  for (std::size_t i = 0; i < blocks.size() && !is_newer_; ++i) {
    is_new |= take(blocks[i], hashes[i], has_content);
  }
  return is_new;
}

// Returns false if the block was taken before. `hash` is the hash of its facts.
bool Verifier::take(const StoredBlock& stored, const Hash& hash, bool has_content) {
  const auto block = parse_block(stored.facts);
  if (!block) {
    if (!damaged_.insert(base::xxh3(stored.facts)).second) return false;
    take_damaged(stored, block.error());
    return true;
  }
  if (previous_ && hash == report_.hash) return false;
  if (!check_header(*block)) return true;
  check_witnesses(*block, hash);
  const auto first = events_.take(*block, has_content ? &stored.content : nullptr);
  check_epoch(block->header, first);
  previous_ = block->header;
  report_.hash = hash;
  report_.epoch = block->header.epoch;
  is_chain_known_ = true;
  next_ = block->header.last().next();
  ++report_.blocks;
  return true;
}

void Verifier::take_damaged(const StoredBlock& stored, const base::Error& error) {
  is_newer_ = error.code == ErrorCode::wrong_log;
  is_chain_known_ = false;
  const auto claimed = claimed_header(stored.facts);
  const bool is_plausible = claimed && claimed->first == next_ && claimed->count > 0 &&
                            claimed->count <= static_cast<std::int64_t>(kBlockEventsMax) &&
                            claimed->last() <= std::max(store_.tail(), next_);
  const Position through = is_plausible ? claimed->last() : next_;
  lose(next_, through, "not whole: " + error.text, error.code);
  if (is_plausible) next_ = through.next();
}

// Returns false if the block overlaps the ones before it; it is then ignored.
bool Verifier::check_header(const BlockView& block) {
  const BlockHeader& header = block.header;
  if (previous_ && header.first <= previous_->last()) {
    findings_.add(header.first,
                  range_text(header.first, header.last(), "in the log in a second block, too"));
    return false;
  }
  if (header.first > next_) {
    // Behind a damaged block, the missing events are its own.
    if (findings_.lost_through < next_) {
      lose(next_, header.first.plus(-1), "missing");
    } else {
      findings_.lose_through(header.first.plus(-1));
    }
    is_chain_known_ = false;
  }
  if (report_.first.value == 0) report_.first = header.first;
  if (!previous_) {
    report_.log = header.log;
  } else if (header.log != previous_->log) {
    findings_.add(
        header.first,
        "the block is of log " + header.log.text() + ", not of log " + previous_->log.text(),
        ErrorCode::wrong_log);
  }
  const Hash expected = previous_ ? report_.hash : Hash{};
  if (is_chain_known_ && header.previous != expected) {
    findings_.add(header.first, "the chain is broken: the block does not follow the one before it");
  }
  return true;
}

void Verifier::check_witnesses(const BlockView& block, const Hash& hash) {
  const BlockHeader& header = block.header;
  for (const auto& [name, seen] : witnesses_) {
    if (seen.position < header.first || seen.position > header.last()) continue;
    if (seen.log != header.log) {
      findings_.add(seen.position, name + " is of log " + seen.log.text(), ErrorCode::wrong_log);
    } else if (seen.position != header.last() || seen.hash != hash || seen.epoch != header.epoch) {
      findings_.add(seen.position,
                    "the log holds another block than the one that " + name + " names there");
    }
  }
}

void Verifier::check_epoch(const BlockHeader& header, const std::optional<RecordedEvent>& first) {
  const bool is_new = !previous_ || header.epoch != previous_->epoch;
  if (is_new || report_.blocks == 0) ++report_.epochs;
  // An event that cannot be decoded is listed as such elsewhere.
  const auto* started = first ? first->event.as<domain::EpochStarted>() : nullptr;
  if (is_new && first && (started == nullptr || started->counter != header.epoch.counter)) {
    const bool may_be_lost =
        findings_.lost_through.value > 0 && findings_.lost_through.next() == header.first;
    if (!may_be_lost) {
      findings_.add(header.first, "epoch " + std::to_string(header.epoch.counter) +
                                      " begins without an EpochStarted of its own");
    }
  }
  if (!is_new && started != nullptr) {
    findings_.add(header.first, "an EpochStarted that begins no epoch");
  }
  if (!previous_) return;
  if (is_new && header.epoch.counter <= previous_->epoch.counter) {
    findings_.add(header.first, "epoch " + std::to_string(header.epoch.counter) +
                                    " follows epoch " + std::to_string(previous_->epoch.counter));
  }
  if (!is_new && header.writer_term < previous_->writer_term) {
    findings_.add(header.first,
                  "the block was written by a server that had been superseded: writer term " +
                      std::to_string(header.writer_term) + " after " +
                      std::to_string(previous_->writer_term));
  }
}

void Verifier::check_end() {
  if (is_newer_) return;
  const Position reached = next_.plus(-1);
  for (const auto& [name, seen] : witnesses_) {
    const Position from = std::max(next_, findings_.lost_through.next());
    if (seen.position < from) continue;
    if (report_.log.is_set() && seen.log != report_.log) {
      findings_.add(seen.position, name + " is of log " + seen.log.text(), ErrorCode::wrong_log);
    } else {
      lose(from, seen.position, "missing: the log is shorter than " + name + " says");
    }
  }
  if (head_ && head_->position <= reached) {
    report_.after_head = reached.value - head_->position.value;
  }
}

void Verifier::lose(Position from, Position through, const std::string& text, ErrorCode code) {
  findings_.add({from, through, code, range_text(from, through, text)});
  findings_.lose_through(through);
}

}  // namespace

VerifyReport verify_log(BlockStore& store, const std::optional<Checkpoint>& head,
                        const VerifyProgress& progress, const VerifyBesides& besides) {
  Verifier verifier(store, head, besides.witnesses);
  verifier.know(besides);
  return verifier.run(progress);
}

}  // namespace eventlog
