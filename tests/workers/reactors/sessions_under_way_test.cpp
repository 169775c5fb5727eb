// The lease states of the sessions under way are those that a fold of each session would give.
#include "workers/reactors/sessions_under_way.hpp"

#include "eventlog/domain/evolve.hpp"
#include "tests/support/driven_loop.hpp"

namespace workers {
namespace {

using support::DrivenLoop;

const SessionKey kKey{support::numbered<base::SessionId>(1), "main"};

// Folds what the loop has made durable since the last call.
void follow(DrivenLoop& loop, std::size_t& told, SessionsUnderWay& sessions) {
  loop.settle();
  for (; told < loop.events.size(); ++told) sessions.fold(loop.events[told]);
}

TEST_CASE("the lease state of a session under way follows its events", "[workers]") {
  support::LastingStores stores;
  DrivenLoop loop(stores.store, *stores.rows);
  SessionsUnderWay sessions;
  std::size_t told = 0;
  REQUIRE(loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  REQUIRE(loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::GrantLease{support::kWorker}))));
  follow(loop, told, sessions);
  domain::LeaseState folded;
  for (const domain::RecordedEvent& event : loop.events) {
    if (event.envelope.stream == domain::session_stream("main", kKey.session)) {
      domain::evolve(folded, event.envelope, event.event);
    }
  }
  REQUIRE(sessions.find(kKey) != nullptr);
  CHECK((*sessions.find(kKey) == folded));
  CHECK(sessions.find(kKey)->lease);
  REQUIRE(sessions.all().size() == 1);

  // A new server has it from the session's state.
  SessionsUnderWay next;
  auto streams = support::fold_all(stores.store);
  next.restore(std::get<domain::SessionState>(
      streams.at(domain::session_stream("main", kKey.session)).state));
  CHECK((next.all() == sessions.all()));
  CHECK(next.changed() == nullptr);
}

TEST_CASE("a session that has ended is forgotten with the next event", "[workers]") {
  support::LastingStores stores;
  DrivenLoop loop(stores.store, *stores.rows);
  SessionsUnderWay sessions;
  std::size_t told = 0;
  REQUIRE(loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  REQUIRE(loop.ask(DrivenLoop::message(1, 2, support::as_command(domain::KillSession{}))));
  loop.settle();
  bool is_end_seen = false;
  for (; told < loop.events.size(); ++told) {
    const domain::RecordedEvent& event = loop.events[told];
    sessions.fold(event);
    if (!std::holds_alternative<domain::SessionClosed>(event.event)) continue;
    is_end_seen = true;
    REQUIRE(sessions.changed() != nullptr);
    CHECK((sessions.changed()->first == kKey));
    CHECK(sessions.changed()->second.status == domain::SessionStatus::killed);
    CHECK(sessions.find(kKey) == nullptr);
  }
  CHECK(is_end_seen);
  REQUIRE(loop.ask(DrivenLoop::message(2, 3, DrivenLoop::spawn(true))));
  follow(loop, told, sessions);
  REQUIRE(sessions.all().size() == 1);
  CHECK((sessions.all().begin()->first.session == support::numbered<base::SessionId>(2)));
}

}  // namespace
}  // namespace workers
