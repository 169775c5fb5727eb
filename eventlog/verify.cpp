#include "eventlog/verify.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "eventlog/log_reader.hpp"
#include "eventlog/session/event_codec.hpp"
#include "eventlog/session/evolve.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::StreamVersion;
using session::RecordedEvent;

// Of facts in one read: long enough for the disk to read ahead, short enough for memory.
constexpr std::size_t kStepBytes = 4 << 20;

std::string text_of(Position position) {
  return std::to_string(position.value);
}

std::string range_text(Position from, Position through, std::string_view what) {
  std::string text = from == through
                         ? "event " + text_of(from) + " is "
                         : "events " + text_of(from) + " to " + text_of(through) + " are ";
  return text.append(what);
}

Position position_of_inconsistency(const session::StreamState& state) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.inconsistent; }) {
          return s.inconsistent;
        } else {
          return Position{};
        }
      },
      state);
}

struct Stream {
  StreamVersion version;
  Position last;
  std::optional<session::StreamState> state;  // none: an event of it is missing
};

class Verifier {
 public:
  Verifier(BlockStore& store, const std::optional<Checkpoint>& head) : store_(store), head_(head) {}

  VerifyReport run(const VerifyProgress& progress);

 private:
  void report(Position position, std::string text, ErrorCode code = ErrorCode::damaged);
  void lose_through(Position position) { lost_through_ = std::max(lost_through_, position); }

  Position skip_unreadable(Position from, const base::Error& error);
  Position next_readable(Position from);

  bool take(const StoredBlock& stored, bool has_content);
  void take_damaged(const StoredBlock& stored, const base::Error& error);
  bool check_header(const BlockView& block);
  void check_head(const BlockView& block);
  void check_epoch(const BlockHeader& header, const std::optional<RecordedEvent>& first);
  void take_events(const BlockView& block, const Bytes* content);
  std::optional<RecordedEvent> take_event(ByteView facts, Position position);
  void check_stream(const RecordedEvent& event, bool is_decoded);
  void check_time(const BlockHeader& header, const RecordedEvent& event);
  void check_content(const RecordedEvent& event, const StoredContent* stored);
  void check_end();

  BlockStore& store_;
  const std::optional<Checkpoint> head_;
  VerifyReport report_;
  Position next_{1};                     // where the next block is to begin
  std::optional<BlockHeader> previous_;  // the last whole block
  bool is_chain_known_ = true;           // the block before is whole, so that its hash is known
  bool is_newer_ = false;                // blocks of a later release: nothing more can be told
  Position lost_through_;                // events up to here are missing or cannot be read
  base::Time time_;
  std::unordered_map<std::string, Stream> streams_;
  std::unordered_set<std::uint64_t> damaged_;  // xxh3 of the blocks that are listed as damaged
};

VerifyReport Verifier::run(const VerifyProgress& progress) {
  const Position tail = store_.tail();
  std::size_t step = kStepBytes;
  Position from{1};
  while (from <= tail && !is_newer_) {
    bool has_content = true;
    auto blocks = store_.read(from, step, has_content);
    if (!blocks && step > 1) {
      step = 1;  // one by one up to the block that cannot be read
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
      report(from, "the block's content cannot be read: " + base::describe(error));
    }
    bool is_new = false;
    for (const StoredBlock& stored : *blocks) is_new |= !is_newer_ && take(stored, has_content);
    if (is_new) step = kStepBytes;
    // A block that does not say how far it goes comes again with the next read, and is passed over.
    from = std::max(next_, from.next());
    if (progress) progress(std::min(from.plus(-1), tail), tail);
  }
  check_end();
  report_.streams = static_cast<std::int64_t>(streams_.size());
  return std::move(report_);
}

void Verifier::report(Position position, std::string text, ErrorCode code) {
  if (report_.problems.size() < kProblemsMax) {
    report_.problems.push_back({position, code, std::move(text)});
  } else {
    ++report_.problems_left_out;
  }
}

// ---- blocks ----

Position Verifier::skip_unreadable(Position from, const base::Error& error) {
  const Position readable = next_readable(from);
  report(from, range_text(from, readable.plus(-1), "not readable: ") + base::describe(error),
         error.code == ErrorCode::wrong_log ? ErrorCode::wrong_log : ErrorCode::damaged);
  lose_through(readable.plus(-1));
  is_chain_known_ = false;
  next_ = readable;
  return readable;
}

// The unreadable part is one stretch: found by doubling steps, then halved down to its end.
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

// False: the block was taken before.
bool Verifier::take(const StoredBlock& stored, bool has_content) {
  const auto block = parse_block(stored.facts);
  if (!block) {
    if (!damaged_.insert(base::xxh3(stored.facts)).second) return false;
    take_damaged(stored, block.error());
    return true;
  }
  if (previous_ && block->hash == report_.hash) return false;
  if (!check_header(*block)) return true;
  check_head(*block);
  take_events(*block, has_content ? &stored.content : nullptr);
  previous_ = block->header;
  report_.hash = block->hash;
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
  report(next_, range_text(next_, through, "not whole: ") + error.text, error.code);
  lose_through(through);
  if (is_plausible) next_ = through.next();
}

// False: the block lies in the way of the others, and is left alone.
bool Verifier::check_header(const BlockView& block) {
  const BlockHeader& header = block.header;
  if (previous_ && header.first <= previous_->last()) {
    report(header.first,
           range_text(header.first, header.last(), "in the log in a second block, too"));
    return false;
  }
  if (header.first > next_) {
    // Behind a block that is damaged, they are its own events.
    if (lost_through_ < next_) {
      report(next_, range_text(next_, header.first.plus(-1), "missing"));
    }
    lose_through(header.first.plus(-1));
    is_chain_known_ = false;
  }
  if (!previous_) {
    report_.log = header.log;
    report_.first = header.first;
  } else if (header.log != previous_->log) {
    report(header.first,
           "the block is of log " + header.log.text() + ", not of log " + previous_->log.text(),
           ErrorCode::wrong_log);
  }
  const Hash expected = previous_ ? report_.hash : Hash{};
  if (is_chain_known_ && header.previous != expected) {
    report(header.first, "the chain is broken: the block does not follow the one before it");
  }
  return true;
}

void Verifier::check_head(const BlockView& block) {
  if (!head_ || head_->position < block.header.first || head_->position > block.header.last()) {
    return;
  }
  if (head_->log != block.header.log) {
    report(head_->position, "the head file is of log " + head_->log.text(), ErrorCode::wrong_log);
  } else if (head_->position != block.header.last() || head_->hash != block.hash ||
             head_->epoch != block.header.epoch) {
    report(head_->position, "the log holds another block than the one that was acknowledged there");
  }
}

void Verifier::check_epoch(const BlockHeader& header, const std::optional<RecordedEvent>& first) {
  const bool is_new = !previous_ || header.epoch != previous_->epoch;
  if (is_new) ++report_.epochs;
  // What cannot be decoded is listed as such.
  const auto* started = first ? std::get_if<session::EpochStarted>(&first->event) : nullptr;
  if (is_new && first && (started == nullptr || started->counter != header.epoch.counter)) {
    const bool may_be_lost = lost_through_.value > 0 && lost_through_.next() == header.first;
    if (!may_be_lost) {
      report(header.first, "epoch " + std::to_string(header.epoch.counter) +
                               " begins without an EpochStarted that says so");
    }
  }
  if (!is_new && started != nullptr) {
    report(header.first, "an EpochStarted that begins no epoch");
  }
  if (!previous_) return;
  if (is_new && header.epoch.counter <= previous_->epoch.counter) {
    report(header.first, "epoch " + std::to_string(header.epoch.counter) + " follows epoch " +
                             std::to_string(previous_->epoch.counter));
  }
  if (!is_new && header.writer_term < previous_->writer_term) {
    report(header.first,
           "the block was written by a server that had been superseded: writer term " +
               std::to_string(header.writer_term) + " after " +
               std::to_string(previous_->writer_term));
  }
}

// ---- events ----

// `content`: null when it cannot be read.
void Verifier::take_events(const BlockView& block, const Bytes* content) {
  ContentBlock contents;
  if (content != nullptr && !content->empty()) {
    auto decoded = base::decode<ContentBlock>(*content);
    if (decoded) {
      contents = std::move(*decoded);
    } else {
      report(block.header.first,
             "the block's content cannot be read: " + base::describe(decoded.error()));
    }
  }
  auto next_content = contents.entries.begin();
  for (std::size_t i = 0; i < block.events.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const auto event = take_event(block.events[i], block.header.first.plus(index));
    if (i == 0) check_epoch(block.header, event);
    const StoredContent* stored = nullptr;
    if (next_content != contents.entries.end() && next_content->index == index) {
      stored = &*next_content++;
    }
    if (!event) continue;
    check_time(block.header, *event);
    if (content != nullptr) check_content(*event, stored);
    ++report_.events;
    report_.last = event->envelope.position;
  }
  if (next_content != contents.entries.end()) {
    report(block.header.first, "content of an event that is not in the block");
  }
}

// Also of an event that cannot be decoded the envelope is used, so that its stream goes on.
std::optional<RecordedEvent> Verifier::take_event(ByteView facts, Position position) {
  auto event = session::decode_facts(facts);
  const bool is_decoded = event.has_value();
  if (!is_decoded) {
    report(position, "facts cannot be read: " + base::describe(event.error()),
           event.error().code == ErrorCode::wrong_log ? ErrorCode::wrong_log : ErrorCode::damaged);
    auto envelope = session::decode_envelope(facts);
    if (!envelope) {
      lose_through(position);
      return std::nullopt;
    }
    event = RecordedEvent{};
    event->envelope = std::move(*envelope);
  }
  event->envelope.position = position;
  check_stream(*event, is_decoded);
  return is_decoded ? std::optional(std::move(*event)) : std::nullopt;
}

void Verifier::check_stream(const RecordedEvent& event, bool is_decoded) {
  const session::Envelope& envelope = event.envelope;
  const auto [found, is_new] = streams_.try_emplace(envelope.stream);
  Stream& stream = found->second;
  if (is_new) {
    stream.state = session::initial_state(envelope.stream);
    if (!stream.state) {
      report(envelope.position, "'" + envelope.stream + "' is not the name of a stream");
    }
  }
  const StreamVersion expected = stream.version.next();
  if (envelope.version != expected) {
    // Events of the stream may lie in what is missing, between its last event and this one.
    const bool is_explained = envelope.version > expected && stream.last < lost_through_;
    if (!is_explained) {
      report(envelope.position, "stream " + envelope.stream + " is at version " +
                                    std::to_string(envelope.version.value) + " where version " +
                                    std::to_string(expected.value) + " was to come");
    }
    stream.state.reset();
  }
  stream.version = envelope.version;
  stream.last = envelope.position;
  if (!is_decoded) stream.state.reset();
  if (!stream.state) return;
  session::evolve(*stream.state, envelope, event.event);
  if (position_of_inconsistency(*stream.state) == envelope.position) {
    report(envelope.position, envelope.type + " is impossible in the state of stream " +
                                  envelope.stream + ", which is inconsistent from here on");
  }
}

void Verifier::check_time(const BlockHeader& header, const RecordedEvent& event) {
  const base::Time time = event.envelope.log_time;
  if (time < time_) {
    report(event.envelope.position,
           "log time goes back by " + std::to_string((time_ - time).count()) + " us");
  }
  if (time > header.time) {
    report(event.envelope.position, "log time is later than that of its block");
  }
  time_ = std::max(time_, time);
}

void Verifier::check_content(const RecordedEvent& event, const StoredContent* stored) {
  const session::Envelope& envelope = event.envelope;
  if (stored == nullptr) {
    if (envelope.content) ++report_.contents_erased;
    return;
  }
  const auto content = open_content(store_, envelope, *stored);
  if (!content) {
    report(envelope.position, base::describe(content.error()));
  } else if (!*content) {
    ++report_.contents_erased;
  } else if (static_cast<std::int64_t>((*content)->text.size()) != envelope.content->bytes) {
    report(envelope.position, "content has another length than its event says");
  } else {
    ++report_.contents;
  }
}

void Verifier::check_end() {
  if (is_newer_ || !head_) return;
  const Position reached = next_.plus(-1);
  if (head_->position > reached) {
    const Position from = std::max(next_, lost_through_.next());
    if (from <= head_->position) {
      report(from, range_text(from, head_->position, "missing") +
                       ": the log is shorter than what was acknowledged");
    }
  } else {
    report_.after_head = reached.value - head_->position.value;
  }
}

}  // namespace

VerifyReport verify_log(BlockStore& store, const std::optional<Checkpoint>& head,
                        const VerifyProgress& progress) {
  return Verifier(store, head).run(progress);
}

}  // namespace eventlog
