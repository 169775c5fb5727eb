// The only writer of a log. It keeps the heads of the streams in use, assigns positions and
// versions, and refuses a wrong expected version. While one block is synced, new events gather in
// the next. Used by one thread; committing happens behind the Committer port.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "eventlog/base/one_thread.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/log/committer.hpp"

namespace eventlog {

using base::StreamVersion;

// Where the log stands when a sequencer takes it over.
struct LogTail {
  base::LogId log;
  Epoch epoch;
  std::int64_t writer_term = 0;  // of the last block
  Position position;             // 0: an empty log
  Hash hash{};                   // of the last block
  Time time;                     // log time of the last event
};

// The highest writer term; every writer's term is one above the last writer's. A term and a 32-bit
// number behind it must fit in one integer of the wire, as in the numbers of directives.
constexpr std::int64_t kWriterTermMax = (std::int64_t{1} << 21) - 1;

// Checks that a writer and an epoch can follow. Error invalid: the term or the epoch counter is at
// its maximum. That happens only to a forged log, or after two million starts.
Result<void> check_numbers(const LogTail& tail);

// Reads the last block. An empty store gives an empty tail, whose log id is not set.
Result<LogTail> read_tail(BlockStore& store);

struct NewEvent {
  domain::Event event;
  domain::Content content;  // an empty text: none
};

// The head of a stream that has not been read yet: nothing can be appended to it.
constexpr StreamVersion kHeadUnknown{-1};

struct StreamAppend {
  std::string stream;
  StreamVersion expected;  // the stream's version as the writer saw it; 0: no such stream
  std::vector<NewEvent> events;
  bool is_reported = true;  // else the token and the number of the report are not its events'
};

// The fields that all events of one append share.
struct AppendContext {
  base::CommandId command;
  domain::BodyDigest command_digest{};
  base::CommandId correlation;
  base::EventId causation;
  domain::ActorKind actor_kind = domain::ActorKind::server;
  std::string actor;
  base::FencingToken token;
  std::int64_t report_sequence = 0;
  std::string traceparent;
  Time log_time;
  Time wall_time;
};

// An event in flight: decoded, and as its bytes in the block.
struct SequencedEvent {
  domain::RecordedEvent recorded;
  Bytes facts;
};

class Sequencer {
 public:
  // `tail.writer_term` is raised by one for the blocks that this sequencer seals.
  Sequencer(LogTail tail, Committer& committer, base::Random& random);

  // False: the open block is full, or the sequencer has failed. If it is full, call do_work() until
  // the block is in flight.
  bool has_room() const { return !failure_ && !open_.is_full(); }

  // Appends all events of all streams, or none. The streams' heads must be known. Returns the
  // events in order; the pointers stay valid until take_durable() returns the events. Nothing is
  // durable yet. Error conflict: a stream is at another version; nothing was appended.
  Result<std::vector<const SequencedEvent*>> append(std::vector<StreamAppend> appends,
                                                    const AppendContext& context);

  // Takes the committer's outcome and hands it the next block. Returns true when it did anything.
  bool do_work();

  // Returns the events that have become durable since the last call, in order.
  std::vector<SequencedEvent> take_durable();

  Position tail() const { return tail_.position; }
  // The last durable position. Nothing computed from a later event can be told to anyone yet.
  Position durable() const;
  Checkpoint durable_checkpoint() const { return durable_checkpoint_; }
  const LogTail& log() const { return tail_; }
  // Set when a block's outcome is not `stored`: the process must stop and restart from the log.
  const std::optional<base::Error>& failure() const { return failure_; }

  // Returns the stored name, which stays where it is until forget_head, for callers with many
  // names.
  const std::string& set_head(const std::string& stream, StreamVersion version) {
    return heads_.insert_or_assign(stream, version).first->first;
  }
  void forget_head(const std::string& stream) { heads_.erase(stream); }

 private:
  using Heads = std::unordered_map<std::string, StreamVersion>;
  using Head = Heads::value_type;

  // `head`: the event's stream and version.
  void add(const Head& head, NewEvent event, const AppendContext& context);

  Committer& committer_;
  base::Random& random_;
  LogTail tail_;  // `hash` is that of the last sealed block; `position` counts the open block too
  Checkpoint durable_checkpoint_;
  Heads heads_;
  BlockBuilder open_;
  std::deque<SequencedEvent> pending_;  // appended and not yet handed out
  std::optional<base::Error> failure_;
  base::OneThread thread_;
};

}  // namespace eventlog
