// A log for tests, without a sequencer: events are appended to streams and sealed into blocks with
// a right chain, right versions, fresh ids and growing log time.
#pragma once

#include <map>
#include <stdexcept>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/store/memory_store.hpp"

namespace support {

// 2026-11-20 12:00:00 UTC
constexpr base::Time kNoon{1795176000000000};
// A limit on events that no log here reaches.
constexpr std::size_t kAllEvents = 1'000'000;

class LogBuilder {
 public:
  // Begins with the log's first event, EpochStarted, in a block of its own. The same seed makes the
  // same bytes. The store is the builder's own, unless an empty one is given, which must outlive
  // the builder.
  explicit LogBuilder(std::uint64_t seed = 1) : LogBuilder(seed, own_) {}
  LogBuilder(std::uint64_t seed, eventlog::BlockStore& store) : random_(seed), store_(&store) {
    log_ = base::LogId::make(kNoon, random_);
    begin_epoch("created");
  }
  LogBuilder(const LogBuilder&) = delete;
  LogBuilder& operator=(const LogBuilder&) = delete;

  eventlog::BlockStore& store() { return *store_; }
  // The last position in the store.
  base::Position head() const { return head_; }
  base::SeededRandom& random() { return random_; }
  base::Time now() const { return now_; }
  base::LogId log() const { return log_; }
  // Every event appended so far, as a reader without content sees it.
  const std::vector<domain::RecordedEvent>& events() const { return events_; }

  void advance(base::Duration by) { now_ = now_ + by; }

  // Adds the event to the block that the next seal() closes. Each event comes 1 ms after the last.
  // Returns the event's position.
  base::Position add(std::string_view stream, domain::Event event, std::string content = {}) {
    domain::RecordedEvent recorded;
    domain::Envelope& e = recorded.envelope;
    advance(std::chrono::milliseconds{1});
    e.position = head_.plus(builder_.count() + 1);
    e.stream = stream;
    e.version = versions_[e.stream] = versions_[e.stream].next();
    e.type = event.type();
    e.event = base::EventId::make(now_, random_);
    e.command = base::CommandId::make(now_, random_);
    e.actor = "test";
    e.log_time = now_;
    e.wall_time = now_;
    recorded.event = std::move(event);
    if (!content.empty()) {
      const base::Salt salt = base::make_salt(random_);
      base::Bytes bytes = domain::encode_content({content});
      e.content = domain::ContentProof{base::blake2b(bytes, salt),
                                       static_cast<std::int64_t>(content.size())};
      builder_.add(domain::encode_facts(recorded));
      builder_.add_content(salt, std::move(bytes));
    } else {
      builder_.add(domain::encode_facts(recorded));
    }
    events_.push_back(std::move(recorded));
    return events_.back().envelope.position;
  }

  // Adds any bytes as the facts of an event.
  void add_bytes(base::ByteView facts) { builder_.add(facts); }

  // Closes the block and stores it, unless it has no event. Returns the head.
  base::Position seal() {
    if (!builder_.is_empty()) store_block(builder_.seal(next_header()));
    return head_;
  }

  // add() and seal().
  base::Position append(std::string_view stream, domain::Event event, std::string content = {}) {
    add(stream, std::move(event), std::move(content));
    return seal();
  }

  // Begins a new epoch: its EpochStarted is the first event of the next block.
  void begin_epoch(std::string reason) {
    change_epoch();
    append(domain::kServerStream, domain::EpochStarted{epoch_.counter, std::move(reason)});
  }

  // ---- for logs that are wrong ----

  // The next block has another epoch, which no event begins.
  void change_epoch(std::int64_t counter_by = 1) {
    seal();
    epoch_.counter += counter_by;
    epoch_.random.fill(static_cast<char>(random_.below(256)));
  }
  // The next block names this hash as that of the block before it.
  void set_previous(base::Hash previous) { previous_ = previous; }
  void set_log(base::LogId log) { log_ = log; }

 private:
  eventlog::BlockHeader next_header() const {
    eventlog::BlockHeader header;
    header.log = log_;
    header.epoch = epoch_;
    header.writer_term = 1;
    header.first = head_.next();
    header.time = now_;
    header.previous = previous_;
    return header;
  }

  void store_block(const eventlog::SealedBlock& block) {
    if (store_->append(block).status != eventlog::AppendStatus::stored) {
      throw std::runtime_error("the test's store did not take a block");
    }
    head_ = block.header.last();
    previous_ = block.hash;
  }

  base::SeededRandom random_;
  eventlog::MemoryStore own_;
  eventlog::BlockStore* store_;
  eventlog::BlockBuilder builder_;
  base::LogId log_;
  eventlog::Epoch epoch_;
  base::Hash previous_{};
  base::Position head_;
  base::Time now_ = kNoon;
  std::map<std::string, base::StreamVersion> versions_;
  std::vector<domain::RecordedEvent> events_;
};

}  // namespace support
