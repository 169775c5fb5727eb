// A sequencer over every block store against a model, under random sequences: appends, conflicts,
// blocks whose fate is unknown and the retries after them, restarts, erasures and snapshots.
#include <map>

#include "eventlog/copies/erase.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/sequencer.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "eventlog/proof/verify.hpp"
#include "tests/support/hand_committer.hpp"
#include "tests/support/log.hpp"
#include "tests/support/random_operations.hpp"
#include "tests/support/stores.hpp"

namespace {

using base::Position;
using base::StreamVersion;
using domain::RecordedEvent;
using eventlog::AppendStatus;

enum class SequencerAction {
  append,
  append_to_two,
  conflict,
  commit,
  unknown,
  restart,
  read,
  erase,
  snapshot
};
constexpr int kSequencerActions = 9;
constexpr int kStreams = 3;
using SequencerOperation = support::Operation<SequencerAction>;

// One event of a command, as the model knows it.
struct Known {
  int stream = 0;
  std::int64_t command = 0;
  domain::Event event;
  std::string content;  // empty: none, or erased
};

base::CommandId command_id(std::int64_t number) {
  base::CommandId id;
  for (int i = 0; i < 8; ++i) {
    id.bytes[static_cast<std::size_t>(8 + i)] = static_cast<char>(number >> (56 - 8 * i));
  }
  return id;
}

domain::SessionOpened opened(int stream) {
  domain::SessionOpened event;
  event.session = domain::parse_stream(support::stream_of(stream))->id;
  event.agent = "main";
  return event;
}

template <class Fixture>
class SequencerMachine {
 public:
  SequencerMachine() { start(); }

  void run(const std::vector<SequencerOperation>& sequence) {
    for (const SequencerOperation& operation : sequence) step(operation);
    commit();
    check_log();
    restart();
    check_log();
    const auto report = eventlog::verify_log(fixture_.store(), {});
    RC_ASSERT(report.problems.empty());
  }

 private:
  void step(const SequencerOperation& operation) {
    const int stream = 1 + static_cast<int>(operation.a % kStreams);
    switch (operation.kind) {
      case SequencerAction::append:
        return append({stream}, operation);
      case SequencerAction::append_to_two:
        return append({stream, 1 + stream % kStreams}, operation);
      case SequencerAction::conflict:
        return conflict(stream, operation.b);
      case SequencerAction::commit:
        return commit();
      case SequencerAction::unknown:
        return fall_in_doubt(operation.b % 2 == 0);
      case SequencerAction::restart:
        return restart();
      case SequencerAction::read:
        return check_log();
      case SequencerAction::erase:
        return erase(operation.a);
      case SequencerAction::snapshot:
        return snapshot(stream);
    }
  }

  // Starts a new server on the store's content.
  void start() {
    if (fixture_.store().tail().value == 0) begin_epoch();
    sequencer_.reset();
    committer_.emplace(fixture_.store());
    sequencer_.emplace(support::tail_of(fixture_.store()), *committer_, random_);
    pending_.clear();
    versions_.clear();
    for (const Known& known : durable_) versions_[known.stream] = versions_[known.stream].next();
    for (int stream = 1; stream <= kStreams; ++stream) {
      sequencer_->set_head(support::stream_of(stream), versions_[stream]);
    }
  }

  void begin_epoch() {
    support::StoreWriter writer(fixture_.store());
    writer.append(std::string(domain::kServerStream), domain::EpochStarted{1, "created"});
    writer.flush();
  }

  void append(const std::vector<int>& streams, const SequencerOperation& operation) {
    const std::int64_t command = ++commands_;
    std::vector<Known> events;
    for (const int stream : streams) {
      const bool is_new = versions_[stream].value == 0;
      // Content above 64 KiB goes into chunks.
      const std::size_t repeated = operation.c % 20 == 0 ? 20'000 : 1;
      std::string text;
      for (std::size_t i = 0; i < repeated; ++i) text += "text" + std::to_string(operation.b);
      if (is_new) events.push_back({stream, command, opened(stream), {}});
      events.push_back({stream, command, domain::TurnQueued{}, text});
    }
    append(events);
  }

  void append(const std::vector<Known>& events) {
    std::vector<eventlog::StreamAppend> appends;
    for (const Known& known : events) {
      const std::string name = support::stream_of(known.stream);
      if (appends.empty() || appends.back().stream != name) {
        appends.push_back({name, versions_[known.stream], {}});
      }
      appends.back().events.push_back({known.event, {known.content}});
    }
    const auto appended = sequencer_->append(std::move(appends), context(events.front().command));
    RC_ASSERT(appended.has_value());
    RC_ASSERT(appended->size() == events.size());
    for (const Known& known : events) {
      versions_[known.stream] = versions_[known.stream].next();
      pending_.push_back(known);
    }
    RC_ASSERT(sequencer_->tail() == position_of(durable_.size() + pending_.size()));
    if (!sequencer_->has_room()) commit();
  }

  eventlog::AppendContext context(std::int64_t command) {
    eventlog::AppendContext context;
    context.command = command_id(command);
    context.log_time = context.wall_time = {1'800'000'000'000'000 + command};
    return context;
  }

  // An append whose last expected version is wrong leaves nothing behind.
  void conflict(int stream, unsigned by) {
    const Position tail = sequencer_->tail();
    const int other = 1 + stream % kStreams;
    std::vector<eventlog::StreamAppend> appends(2);
    appends[0] = {support::stream_of(other), versions_[other], {}};
    appends[0].events.push_back({opened(other), {}});
    appends[1] = {support::stream_of(stream), {versions_[stream].value + 1 + by % 3}, {}};
    appends[1].events.push_back({domain::TurnQueued{}, {"wrong"}});
    const auto refused = sequencer_->append(std::move(appends), context(-1));
    RC_ASSERT_FALSE(refused.has_value());
    RC_ASSERT(refused.error().code == base::ErrorCode::conflict);
    RC_ASSERT(sequencer_->tail() == tail);
  }

  void commit() {
    sequencer_->do_work();
    while (committer_->submitted()) {
      committer_->complete();
      sequencer_->do_work();
    }
    durable_.insert(durable_.end(), pending_.begin(), pending_.end());
    pending_.clear();
    RC_ASSERT(sequencer_->durable() == position_of(durable_.size()));
    RC_ASSERT(sequencer_->durable() == fixture_.store().tail());
  }

  // The store's answer for a block is lost; `is_stored` says whether the block was stored. The
  // server stops, the next one finds out, and every unanswered command is sent again. Each command
  // then has one group of events.
  void fall_in_doubt(bool is_stored) {
    if (pending_.empty()) return;
    sequencer_->do_work();
    if (is_stored) {
      RC_ASSERT(fixture_.store().append(*committer_->submitted()).status == AppendStatus::stored);
    }
    committer_->fail(AppendStatus::unknown);
    sequencer_->do_work();
    RC_ASSERT(sequencer_->failure().has_value());
    RC_ASSERT_FALSE(sequencer_->has_room());
    RC_ASSERT(sequencer_->durable() == position_of(durable_.size()));
    const std::vector<Known> asked = pending_;
    const auto found = static_cast<std::size_t>(fixture_.store().tail().value) - 1;
    RC_ASSERT((found == durable_.size() || is_stored));
    durable_.insert(durable_.end(), asked.begin(),
                    asked.begin() + static_cast<long>(found - durable_.size()));
    fixture_.reopen();
    start();
    retry(asked);
    commit();
  }

  void retry(const std::vector<Known>& asked) {
    for (std::size_t i = 0; i < asked.size();) {
      std::vector<Known> group;
      while (i < asked.size() && (group.empty() || asked[i].command == group[0].command)) {
        group.push_back(asked[i++]);
      }
      if (!is_in_log(group[0].command)) append(group);
    }
  }

  bool is_in_log(std::int64_t command) {
    for (const RecordedEvent& event : events(false)) {
      if (event.envelope.command == command_id(command)) return true;
    }
    return false;
  }

  void restart() {
    fixture_.reopen();
    start();
  }

  std::vector<RecordedEvent> events(bool with_content) {
    std::vector<RecordedEvent> all;
    while (all.size() < static_cast<std::size_t>(fixture_.store().tail().value)) {
      const auto some = eventlog::read_events(fixture_.store(), position_of(all.size()),
                                              fixture_.store().tail(), {5'000, with_content});
      RC_ASSERT(some.has_value());
      RC_ASSERT_FALSE(some->empty());
      all.insert(all.end(), some->begin(), some->end());
    }
    return all;
  }

  // The first event of the log is its epoch's, so the model's events begin at position 2.
  static Position position_of(std::size_t events) {
    return {static_cast<std::int64_t>(events) + 1};
  }

  void check_log() {
    const auto found = events(true);
    RC_ASSERT(found.size() == durable_.size() + 1);
    std::map<int, StreamVersion> versions;
    for (std::size_t i = 0; i < durable_.size(); ++i) {
      const Known& known = durable_[i];
      const RecordedEvent& event = found[i + 1];
      StreamVersion& version = versions[known.stream];
      version = version.next();
      RC_ASSERT(event.envelope.position == position_of(i + 1));
      RC_ASSERT(event.envelope.stream == support::stream_of(known.stream));
      RC_ASSERT(event.envelope.version == version);
      RC_ASSERT(event.envelope.command == command_id(known.command));
      RC_ASSERT(event.event == known.event);
      RC_ASSERT((event.content ? event.content->text : std::string()) == known.content);
    }
  }

  // Erases the content of one durable event; the record says so first.
  void erase(unsigned number) {
    commit();
    std::vector<std::size_t> choice;
    for (std::size_t i = 0; i < durable_.size(); ++i) {
      if (!durable_[i].content.empty()) choice.push_back(i);
    }
    if (choice.empty()) return;
    Known& known = durable_[choice[number % choice.size()]];
    StreamVersion version;
    for (const Known* one = durable_.data(); one <= &known; ++one) {
      if (one->stream == known.stream) version = version.next();
    }
    const int stream = known.stream;
    known.content.clear();
    const domain::VersionRanges ranges{{version, version}};
    append({{stream,
             ++commands_,
             domain::ContentErased{ranges, domain::ErasureReason::requested},
             {}}});
    commit();
    eventlog::StreamIndex index(*rows_);
    RC_ASSERT(index.catch_up(fixture_.store(), fixture_.store().tail()).has_value());
    eventlog::ScrubScope scope;
    RC_ASSERT(
        eventlog::erase_content(fixture_.store(), index, support::stream_of(stream), ranges, scope)
            .has_value());
  }

  // Requires that a snapshot with the events behind it equals the fold of all events, then saves
  // one.
  void snapshot(int stream) {
    commit();
    const std::string name = support::stream_of(stream);
    eventlog::StreamIndex index(*rows_);
    RC_ASSERT(index.catch_up(fixture_.store(), fixture_.store().tail()).has_value());
    eventlog::SnapshotStore snapshots(*rows_);
    const auto loaded = eventlog::load_stream(fixture_.store(), index, snapshots, name);
    RC_ASSERT(loaded.has_value());
    domain::StreamState state = *domain::initial_state(name);
    for (const RecordedEvent& event : events(false)) {
      if (event.envelope.stream == name) domain::evolve(state, event.envelope, event.event);
    }
    RC_ASSERT(loaded->state == state);
    RC_ASSERT(loaded->version == versions_[stream]);
    RC_ASSERT(snapshots.save(name, *loaded).has_value());
  }

  Fixture fixture_;
  base::SeededRandom random_{5};
  std::unique_ptr<eventlog::KeyValueStore> rows_ = eventlog::make_memory_key_value_store();
  std::optional<support::HandCommitter> committer_;
  std::optional<eventlog::Sequencer> sequencer_;
  std::map<int, StreamVersion> versions_;  // pending events included
  std::vector<Known> durable_;
  std::vector<Known> pending_;  // appended, not known to be stored
  std::int64_t commands_ = 0;
};

TEMPLATE_TEST_CASE("whatever becomes of blocks and servers, a log is what its model is",
                   "[eventlog]", support::MemoryBlockStore, support::RocksDbBlockStore) {
  support::check_sequences<SequencerAction>("a sequencer's log is its model", kSequencerActions,
                                            [](const std::vector<SequencerOperation>& sequence) {
                                              SequencerMachine<TestType>().run(sequence);
                                            });
}

}  // namespace
