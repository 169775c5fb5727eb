// The lease states of the sessions under way are those that a fold of each session would give. What
// they need of the log follows from them.
#include "workers/reactors/streams_under_way.hpp"

#include "eventlog/domain/evolve.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/under_way.hpp"

namespace workers {
namespace {

using support::DrivenLoop;

const StreamKey kKey{support::numbered<base::SessionId>(1), "main"};

// Folds what the loop has made durable since the last call.
void follow(DrivenLoop& loop, std::size_t& told, StreamsUnderWay& streams) {
  loop.settle();
  for (; told < loop.events.size(); ++told) streams.fold(loop.events[told]);
}

TEST_CASE("the lease state of a session under way follows its events", "[workers]") {
  support::LastingStores stores;
  DrivenLoop loop(stores.store, *stores.rows);
  StreamsUnderWay streams_under_way;
  const SessionsUnderWay& sessions = streams_under_way.of<domain::SessionStream>();
  std::size_t told = 0;
  REQUIRE(loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  REQUIRE(loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::GrantLease{support::kWorker}))));
  follow(loop, told, streams_under_way);
  domain::LeaseState folded;
  for (const domain::RecordedEvent& event : loop.events) {
    if (event.envelope.stream == domain::session_stream("main", kKey.id)) {
      domain::evolve(folded, event.envelope, event.event);
    }
  }
  REQUIRE(sessions.find(kKey) != nullptr);
  CHECK((*sessions.find(kKey) == folded));
  CHECK(sessions.find(kKey)->lease);
  REQUIRE(sessions.all().size() == 1);

  // A new server has it from the session's state.
  StreamsUnderWay next;
  auto streams = support::fold_all(stores.store);
  next.restore(support::under_way(
      std::get<domain::SessionState>(streams.at(domain::session_stream("main", kKey.id)).state)));
  CHECK((next.of<domain::SessionStream>().all() == sessions.all()));
  CHECK(next.of<domain::SessionStream>().changed() == nullptr);
  // Its prompt can be asked for again.
  REQUIRE(next.needed().size() == 1);
  CHECK(next.needed().front().stream.id == kKey.id);
  CHECK(next.needed().front().from == folded.opened);
}

TEST_CASE("a session that has ended is forgotten with the next event", "[workers]") {
  support::LastingStores stores;
  DrivenLoop loop(stores.store, *stores.rows);
  StreamsUnderWay streams_under_way;
  const SessionsUnderWay& sessions = streams_under_way.of<domain::SessionStream>();
  std::size_t told = 0;
  REQUIRE(loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  REQUIRE(loop.ask(DrivenLoop::message(1, 2, support::as_command(domain::KillSession{}))));
  loop.settle();
  bool is_end_seen = false;
  for (; told < loop.events.size(); ++told) {
    const domain::RecordedEvent& event = loop.events[told];
    streams_under_way.fold(event);
    if (!event.event.is<domain::SessionClosed>()) continue;
    is_end_seen = true;
    REQUIRE(sessions.changed() != nullptr);
    CHECK((sessions.changed()->first == kKey));
    CHECK(sessions.changed()->second.status == domain::SessionStatus::killed);
    CHECK(sessions.find(kKey) == nullptr);
  }
  CHECK(is_end_seen);
  REQUIRE(loop.ask(DrivenLoop::message(2, 3, DrivenLoop::spawn(true))));
  follow(loop, told, streams_under_way);
  REQUIRE(sessions.all().size() == 1);
  CHECK((sessions.all().begin()->first.id == support::numbered<base::SessionId>(2)));
}

}  // namespace
}  // namespace workers
