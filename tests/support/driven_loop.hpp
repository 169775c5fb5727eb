// The command loop with everything below it, driven step by step: the test says when blocks are
// committed and streams are loaded.
#pragma once

#include <map>
#include <set>

#include "eventlog/store/memory_store.hpp"
#include "tests/support/hand_committer.hpp"
#include "tests/support/log.hpp"
#include "tests/support/session_samples.hpp"
#include "workers/commands/command_loop.hpp"

namespace support {

// Loads from the log, unless the test holds a stream back or makes it fail.
class HandLoader final : public eventlog::StreamLoader {
 public:
  HandLoader(eventlog::BlockStore& store, eventlog::StreamIndex& index,
             eventlog::SnapshotStore& snapshots)
      : loader_(store, index, snapshots) {}

  void request(const std::string& stream) override {
    ++requests[stream];
    wanted_.push_back(stream);
  }
  void save(const std::string& stream, eventlog::LoadedStream loaded) override {
    if (!is_saving_broken) return loader_.save(stream, std::move(loaded));
    not_saved_.push_back({stream, false});
  }
  std::optional<eventlog::LoadOutcome> poll() override {
    for (auto at = wanted_.begin(); at != wanted_.end(); ++at) {
      if (held.contains(*at)) continue;
      const std::string stream = *at;
      wanted_.erase(at);
      if (failing.contains(stream)) {
        return eventlog::LoadOutcome{stream,
                                     base::failure(base::ErrorCode::io, "the disk is gone")};
      }
      loader_.request(stream);
      return loader_.poll();
    }
    return std::nullopt;
  }
  std::optional<eventlog::SaveOutcome> poll_saved() override {
    if (is_saving_held) return std::nullopt;
    if (not_saved_.empty()) return loader_.poll_saved();
    auto outcome = not_saved_.front();
    not_saved_.pop_front();
    return outcome;
  }

  std::set<std::string> held;           // not delivered while named here
  std::set<std::string> failing;        // delivered as an error
  std::map<std::string, int> requests;  // number of requests for each
  bool is_saving_broken = false;
  bool is_saving_held = false;  // no save is reported

 private:
  eventlog::InlineLoader loader_;
  std::deque<std::string> wanted_;
  std::deque<eventlog::SaveOutcome> not_saved_;
};

// The stores that one command loop leaves to the next.
struct LastingStores {
  eventlog::MemoryStore store;
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
};

class DrivenLoop {
 public:
  using Message = workers::CommandMessage;

  // `store` and `rows` can hold an earlier life. Give each life another seed, since aliases and ids
  // are drawn from it.
  DrivenLoop(eventlog::BlockStore& store, eventlog::KeyValueStore& rows,
             workers::CommandLoopOptions options = {}, std::uint64_t seed = 5)
      : random_(seed),
        store_(store),
        index_(rows),
        snapshots_(rows),
        committer(store),
        loader(store, index_, snapshots_),
        sequencer(tail_of(store), committer, random_),
        worker(sequencer, loader, options) {
    REQUIRE(index_.catch_up(store, store.tail()));
    worker.know_agents(*index_.agents());
    for (const std::string& stream : domain::kept_streams()) {
      auto loaded = eventlog::load_stream(store, index_, snapshots_, stream);
      REQUIRE(loaded);
      worker.adopt(stream, std::move(*loaded));
    }
  }

  // Returns a client's command to session `number`, under a command id of its own.
  static Message message(int number, int command_id, domain::Command command) {
    Message m;
    m.id = numbered<base::CommandId>(command_id);
    m.digest[0] = static_cast<char>(command_id);
    m.stream_id = numbered<base::SessionId>(number);
    m.agent = "main";
    m.actor = "tester";
    if (const auto* report = domain::command_if<domain::LeaseReport>(command)) {
      m.token = report->token;
      m.report_sequence = report->sequence;
    }
    m.command = std::move(command);
    return m;
  }
  static domain::Command spawn(bool is_multi_turn = true) {
    domain::Spawn c;
    c.spec = sample_spec(is_multi_turn);
    c.prompt = "work on it";
    return as_command(c);
  }

  workers::Ticket submit(Message m) {
    const workers::Ticket ticket{&client_, ++tickets_};
    worker.submit(ticket, std::move(m));
    return ticket;
  }
  // Decides everything possible and submits a block; nothing becomes durable.
  void decide() {
    do {
      ++time_;
      while (worker.do_work({time_}, {time_}, base::Duration{time_})) {
      }
    } while (sequencer.do_work());
    take();
  }
  // Makes the block in flight durable.
  void commit() {
    if (committer.submitted()) committer.complete();
    sequencer.do_work();
    for (const auto& event : sequencer.take_durable()) {
      worker.on_durable(event.recorded);
      events.push_back(event.recorded);
    }
    REQUIRE(index_.catch_up(store_, sequencer.durable()));
    take();
  }
  // Decides and commits until nothing is left to do.
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      const std::size_t before = answers.size() + events.size();
      decide();
      commit();
      if (committer.submitted() || answers.size() + events.size() != before) quiet = -1;
    }
  }
  // Submits, settles and returns the answer.
  workers::CommandOutcome ask(Message m) {
    const auto ticket = submit(std::move(m));
    settle();
    REQUIRE(answers.contains(ticket));
    return answers.at(ticket);
  }
  // Submits a command of the server about itself, and returns the answer.
  workers::CommandOutcome record(domain::ServerCommand command) {
    Message m;
    m.id = base::CommandId::make({time_}, random_);
    m.actor_kind = domain::ActorKind::server;
    m.actor = "server";
    m.command = std::move(command);
    return ask(std::move(m));
  }
  void set_time(std::int64_t us) { time_ = us; }
  std::int64_t time() const { return time_; }

  // Hands the answers in `reactor_answers` to their askers. True if there was one.
  bool answer_reactors() {
    const auto told = std::exchange(reactor_answers, {});
    for (const workers::CommandAnswer& answer : told) {
      answer.ticket.asker->on_answer(answer.ticket.number, answer);
    }
    return !told.empty();
  }

 private:
  // The asker of the loop's own commands.
  struct Client final : workers::Asker {
    void on_answer(std::uint64_t, const workers::CommandAnswer&) override {}
  };

  void take() {
    for (auto& answer : worker.take_answers()) {
      if (answer.ticket.asker != &client_) {
        reactor_answers.push_back(std::move(answer));
        continue;
      }
      order.push_back(answer.ticket);
      REQUIRE(answers.emplace(answer.ticket, std::move(answer.outcome)).second);
    }
  }

  Client client_;
  base::SeededRandom random_;
  eventlog::BlockStore& store_;
  eventlog::StreamIndex index_;
  eventlog::SnapshotStore snapshots_;
  std::uint64_t tickets_ = 0;
  std::int64_t time_ = 1'000'000;

 public:
  HandCommitter committer;
  HandLoader loader;
  eventlog::Sequencer sequencer;
  workers::CommandLoop worker;
  std::map<workers::Ticket, workers::CommandOutcome> answers;
  std::vector<workers::CommandAnswer> reactor_answers;  // to commands of other askers
  std::vector<workers::Ticket> order;                   // of the answers
  std::vector<domain::RecordedEvent> events;            // durable ones of this life
};

}  // namespace support
