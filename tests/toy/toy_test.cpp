// A toy aggregate, reactor, query and engine, each added to the product by two lines, work like
// those of the product.
#include <algorithm>

#include "bus/memory_bus.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "projections/projections.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/driven_engine.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/folded_streams.hpp"
#include "tests/support/told_lease_locks.hpp"
#include "workers/engines/engines.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/queries/log_end.hpp"
#include "workers/queries/queries.hpp"
#include "workers/reactors/counter_resetter.hpp"
#include "workers/reactors/reactors.hpp"

namespace {

using domain::CounterCommand;
using domain::CounterStream;
using domain::RaiseCounter;
using domain::ResetCounter;
using support::DrivenLoop;
using support::LastingStores;

const auto kId = support::numbered<base::SessionId>(1);
const std::string kStream = domain::format_stream(CounterStream::kPattern, "main", kId);

std::int64_t value_of(const workers::CommandOutcome& outcome) {
  REQUIRE(outcome);
  return std::get<domain::CounterReply>(outcome->reply).value;
}

std::int64_t value_in(const DrivenLoop& loop) {
  const auto* state = loop.worker.find<CounterStream>(kStream);
  return state == nullptr ? -1 : state->value;
}

workers::CommandMessage raise(int command, std::int64_t by) {
  return DrivenLoop::message(1, command, RaiseCounter{by});
}

class NoNotifier final : public workers::Notifier {
  void submit(workers::DeliveryJob) override {}
  std::optional<workers::DeliveryOutcome> poll() override { return std::nullopt; }
  void submit_show(workers::ShowJob) override {}
  std::optional<workers::ShowOutcome> poll_shown() override { return std::nullopt; }
};

class InlineWork final : public workers::SideWork {
  std::unique_ptr<workers::Lane> make_lane(const char*) override {
    return workers::make_inline_lane();
  }
  std::unique_ptr<workers::ContentLoader> make_content_loader(
      const workers::SideStores& stores) override {
    return std::make_unique<workers::InlineContentLoader>(stores.log, stores.index);
  }
  std::unique_ptr<workers::UpkeepPort> make_upkeep_port(workers::UpkeepJobs jobs) override {
    return std::make_unique<workers::InlineUpkeepPort>(std::move(jobs));
  }
  std::unique_ptr<workers::Notifier> make_notifier(const workers::SideStores&) override {
    return std::make_unique<NoNotifier>();
  }
};

TEST_CASE("the event of a further aggregate is stored and read", "[toy]") {
  const auto types = domain::event_types();
  CHECK(std::count(types.begin(), types.end(), "CounterRaised") == 1);
  domain::RecordedEvent event;
  event.envelope.stream = kStream;
  event.event = domain::CounterRaised{7};
  const auto read = domain::decode_facts(domain::encode_facts(event));
  REQUIRE(read);
  CHECK(read->event == event.event);
}

TEST_CASE("a further aggregate's streams have names, states and a residency", "[toy]") {
  CHECK(kStream == "main/counter/" + kId.text());
  const auto ref = domain::parse_stream(kStream);
  REQUIRE(ref);
  CHECK(ref->is<CounterStream>());
  CHECK(ref->agent == "main");
  CHECK(ref->id == kId);
  CHECK(domain::residency_of(*ref) == domain::Residency::on_demand);
  const auto state = domain::initial_state(kStream);
  REQUIRE(state);
  CHECK(std::holds_alternative<domain::CounterState>(*state));
}

TEST_CASE("an event of another aggregate is impossible in a further one's stream", "[toy]") {
  domain::StreamState state = domain::CounterState{};
  domain::Envelope envelope;
  envelope.position = {5};
  envelope.actor_kind = domain::ActorKind::server;
  domain::evolve(state, envelope, domain::CloseRequested{});
  CHECK(domain::inconsistency(state) == base::Position{5});
}

TEST_CASE("a further aggregate's stream has its level of the feed", "[toy]") {
  domain::Envelope envelope;
  envelope.stream = kStream;
  const std::string level = "counter/main/" + kId.text() + "/";
  CHECK(workers::levels_of(envelope) == std::vector<std::string>{"all/", "agent/main/", level});
  CHECK(workers::is_level(level));
  CHECK(workers::LevelStreams(level).only() == kStream);
}

TEST_CASE("a further aggregate's command comes over the wire", "[toy]") {
  const auto body = workers::encode_command(RaiseCounter{3});
  CHECK(body.type == "RaiseCounter");
  const auto command = workers::decode_command(body);
  REQUIRE(command);
  CHECK(*command == domain::Command(RaiseCounter{3}));
  workers::CommandBody own;
  own.type = "ResetCounter";
  CHECK_FALSE(workers::decode_command(own));  // the server's own
  const workers::CommandReplyOf<domain::CounterReply> reply{{4}, {9}, false};
  const auto told =
      base::decode<workers::CommandReplyOf<domain::CounterReply>>(base::encode(reply));
  REQUIRE(told);
  CHECK(*told == reply);
}

TEST_CASE("a further aggregate's commands are decided, remembered and refused", "[toy]") {
  LastingStores disk;
  DrivenLoop loop(disk.store, *disk.rows);
  CHECK(value_of(loop.ask(raise(1, 2))) == 2);
  CHECK(value_of(loop.ask(raise(2, 3))) == 5);
  const auto again = loop.ask(raise(1, 2));
  CHECK(value_of(again) == 5);
  CHECK(again->is_repeated);
  const auto refused = loop.ask(raise(3, 0));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == domain::RejectionCode::invalid);
  CHECK(value_in(loop) == 5);
  CHECK(loop.events.size() == 2);
}

TEST_CASE("a further aggregate's state comes back from the log", "[toy]") {
  LastingStores disk;
  {
    DrivenLoop before(disk.store, *disk.rows);
    CHECK(value_of(before.ask(raise(1, 2))) == 2);
  }
  DrivenLoop after(disk.store, *disk.rows, {}, 6);
  CHECK(value_in(after) == -1);  // nobody asked for it
  CHECK(value_of(after.ask(raise(2, 3))) == 5);
}

TEST_CASE("a further aggregate's stream is found by its key", "[toy]") {
  LastingStores disk;
  DrivenLoop loop(disk.store, *disk.rows);
  const domain::CountNamed count{"visitors"};
  CHECK(value_of(loop.ask(DrivenLoop::message(1, 1, count))) == 1);
  CHECK(value_of(loop.ask(DrivenLoop::message(2, 2, count))) == 2);  // whatever the message's id
  CHECK(value_of(loop.ask(DrivenLoop::message(1, 3, domain::CountNamed{"others"}))) == 1);
  const auto target = domain::target_of(count, "main", {});
  REQUIRE(target);
  CHECK(loop.worker.find<CounterStream>(domain::stream_of(*target))->value == 2);
}

TEST_CASE("a further aggregate's stream is under way for a server that starts", "[toy]") {
  LastingStores disk;
  DrivenLoop loop(disk.store, *disk.rows);
  REQUIRE(loop.record(domain::StartServer{{}, 1, "test", 1}));
  REQUIRE(loop.ask(raise(1, 4)));
  const auto views = eventlog::make_memory_key_value_store();
  const auto taken = [&] {
    auto set = projections::ProjectionSet::open(*views);
    REQUIRE(set);
    const auto up = set->bring_up(projections::StartupRows::kName, disk.store, disk.store.tail());
    if (!up) FAIL(base::describe(up.error()));
    auto takeover = projections::read_takeover(*views);
    REQUIRE(takeover);
    return std::move(takeover->under_way);
  };
  const auto under_way = taken();
  REQUIRE(under_way.size() == 1);
  CHECK(domain::stream_of(under_way.front().stream) == kStream);
  CHECK(std::get<domain::CounterState>(under_way.front().state).value == 4);
  workers::StreamsUnderWay streams;
  streams.restore(under_way.front());
  CHECK(streams.of<CounterStream>().find({kId, "main"})->value == 4);
  // The log keeps what it needs.
  REQUIRE(streams.needed().size() == 1);
  CHECK(streams.needed().front().from == loop.events.back().envelope.position);
  REQUIRE(loop.ask(DrivenLoop::message(1, 2, ResetCounter{})));
  CHECK(taken().empty());
}

TEST_CASE("a further reactor is made with the others, has a port of its own, and commands",
          "[toy]") {
  LastingStores disk;
  DrivenLoop loop(disk.store, *disk.rows);
  base::SeededRandom random(3);
  const workers::StreamsUnderWay streams;
  support::ToldLeaseLocks locks;
  bus::MemoryBus bus(random);
  const auto socket = bus.bind_server("worker");
  eventlog::StreamIndex index(*disk.rows);
  const auto views = eventlog::make_memory_key_value_store();
  InlineWork side_work;
  const auto reactors = workers::make_reactors({loop.worker,
                                                random,
                                                streams,
                                                locks,
                                                *socket,
                                                {disk.store, index, *disk.rows, *views},
                                                side_work},
                                               {});
  workers::CounterResetter* resetter = nullptr;
  for (const auto& one : reactors) {
    if (auto* its = dynamic_cast<workers::CounterResetter*>(one.get())) resetter = its;
  }
  REQUIRE(resetter != nullptr);
  resetter->restore({*domain::parse_stream(kStream), domain::CounterState{}});
  CHECK(resetter->restored == 1);
  REQUIRE(loop.ask(raise(1, 4)));
  REQUIRE(loop.ask(raise(2, workers::CounterResetter::kRaisedFar)));
  CHECK(value_in(loop) == 14);
  for (const auto& event : std::vector(loop.events)) resetter->on_durable(event);
  workers::FlightRecorder flight;
  while (resetter->do_work({{}, {}, {}, disk.store.tail(), true, flight})) {
  }
  loop.settle();
  CHECK(value_in(loop) == 0);
  CHECK(loop.answer_reactors());
}

TEST_CASE("a further query is found by its verb and answered", "[toy]") {
  const workers::QueryKind* kind = workers::find_query("log_end");
  REQUIRE(kind != nullptr);
  LastingStores disk;
  DrivenLoop loop(disk.store, *disk.rows);
  REQUIRE(loop.ask(raise(1, 4)));
  const bus::LogIdentity identity{};
  const auto views = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index(*disk.rows);
  workers::ArchivedLog whole(disk.store, {}, {});
  workers::Query query;
  query.body = bus::to_body(workers::QueryBody{});
  query.durable = disk.store.tail();
  const auto body = kind->run({identity, disk.store, whole, *views, index}, query);
  REQUIRE(body);
  const auto answer = bus::from_body<workers::LogEndAnswer>(*body);
  REQUIRE(answer);
  CHECK(*answer == workers::LogEndAnswer{{1}, {1}});
}

TEST_CASE("a further engine is made by its name, and a session may name it", "[toy]") {
  const engines::EngineKind* kind = engines::find_kind("echo");
  REQUIRE(kind);
  support::DrivenEngine engine(kind->make({{"/bin/cat"}, {}, {}, {}}, {}));
  CHECK(engine.plan().argv == std::vector<std::string>{"/bin/cat"});
  const auto turn = support::numbered<base::TurnId>(2);
  CHECK(engine.begin_turn(turn, "hello") == "hello\n");
  CHECK(engine.on_line("hello", {1}).size() == 2);
  CHECK(engines::kind_names_text().find("echo") != std::string::npos);
  LastingStores disk;
  DrivenLoop loop(disk.store, *disk.rows);
  domain::Spawn spawn;
  spawn.spec = support::sample_spec(true);
  spawn.spec.engine = "echo";
  spawn.prompt = "work on it";
  CHECK(loop.ask(DrivenLoop::message(1, 1, spawn)));
}

}  // namespace
