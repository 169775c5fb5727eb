// A log in a store, written by a sequencer that commits at once: the source of events for tests of
// readers.
#pragma once

#include <map>

#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/sequencer.hpp"
#include "eventlog/log/snapshot_store.hpp"
#include "tests/support/catch.hpp"

namespace support {

// Returns the stream of session `number` of agent "main".
inline std::string stream_of(int number) {
  base::SessionId id;
  id.bytes[0] = 1;
  id.bytes[15] = static_cast<char>(number);
  return domain::session_stream("main", id);
}

inline eventlog::LogTail new_log(char id) {
  eventlog::LogTail tail;
  tail.log.bytes[0] = id;
  tail.epoch = {1, {id}};
  return tail;
}

// Returns the tail of the store's log; for an empty store, that of a new log.
inline eventlog::LogTail tail_of(eventlog::BlockStore& store, char id = 'L') {
  if (store.tail().value == 0) return new_log(id);
  const auto tail = eventlog::read_tail(store);
  REQUIRE(tail);
  return *tail;
}

class StoreWriter {
 public:
  explicit StoreWriter(eventlog::BlockStore& store, char id = 'L')
      : committer_(store, nullptr), sequencer_(tail_of(store, id), committer_, random_) {}

  // Appends to one stream, in one block with everything appended since the last flush().
  void append(const std::string& stream, domain::Event event, std::string content = {}) {
    base::StreamVersion& version = versions_[stream];
    sequencer_.set_head(stream, version);
    eventlog::AppendContext context;
    context.log_time = {++time_};
    std::vector<eventlog::StreamAppend> appends(1);
    appends[0] = {stream, version, {}};
    appends[0].events.push_back({std::move(event), {std::move(content)}});
    REQUIRE(sequencer_.append(std::move(appends), context));
    version = version.next();
  }
  void flush() {
    while (sequencer_.do_work()) {
    }
    REQUIRE_FALSE(sequencer_.failure());
    sequencer_.take_durable();
  }
  // Sets the version, as if the stream had been written elsewhere so far.
  void set_version(const std::string& stream, base::StreamVersion version) {
    versions_[stream] = version;
  }
  eventlog::Sequencer& sequencer() { return sequencer_; }

 private:
  base::SeededRandom random_{77};
  eventlog::InlineCommitter committer_;
  eventlog::Sequencer sequencer_;
  std::map<std::string, base::StreamVersion> versions_;
  std::int64_t time_ = 1'700'000'000'000'000;
};

// Returns every event of the log, in order.
inline std::vector<domain::RecordedEvent> all_events(eventlog::BlockStore& store,
                                                     bool with_content = false) {
  std::vector<domain::RecordedEvent> all;
  for (base::Position from{1}; from <= store.tail();) {
    const auto some = eventlog::read_events(store, from, store.tail(), {1 << 20, with_content});
    if (!some) FAIL(base::describe(some.error()));
    REQUIRE_FALSE(some->empty());
    all.insert(all.end(), some->begin(), some->end());
    from = all.back().envelope.position.next();
  }
  return all;
}

// Returns the state of every stream, folded from its first event.
inline std::map<std::string, eventlog::LoadedStream> fold_all(eventlog::BlockStore& store) {
  std::map<std::string, eventlog::LoadedStream> streams;
  for (const auto& event : all_events(store)) {
    const std::string& name = event.envelope.stream;
    auto at = streams.find(name);
    if (at == streams.end()) {
      at =
          streams.emplace(name, eventlog::LoadedStream{*domain::initial_state(name), {}, {}}).first;
    }
    domain::evolve(at->second.state, event.envelope, event.event);
    at->second.version = event.envelope.version;
    at->second.last = event.envelope.position;
  }
  return streams;
}

// Requires dense positions and versions, a chain of hashes, one log and one epoch.
inline void require_log_is_whole(eventlog::BlockStore& store) {
  base::Hash previous{};
  base::Position expected{1};
  for (base::Position from{1}; from <= store.tail();) {
    const auto stored = store.read(from, 1, false);
    REQUIRE(stored);
    REQUIRE(stored->size() == 1);
    const auto block = eventlog::parse_block(stored->front().facts);
    REQUIRE(block);
    REQUIRE(block->header.first == expected);
    REQUIRE(block->header.previous == previous);
    previous = block->hash();
    expected = block->header.last().next();
    from = expected;
  }
  REQUIRE(expected == store.tail().next());
  std::map<std::string, base::StreamVersion> versions;
  base::Position position;
  for (const auto& event : all_events(store)) {
    position = position.next();
    REQUIRE(event.envelope.position == position);
    base::StreamVersion& version = versions[event.envelope.stream];
    version = version.next();
    REQUIRE(event.envelope.version == version);
  }
}

}  // namespace support
