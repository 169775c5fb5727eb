// Decisions about erasing: the whole of an ended session, or single events of any; never a prompt
// that is still needed.
#include "eventlog/domain/all_events.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::turn;

VersionRanges events(std::int64_t first, std::int64_t last) {
  return {{StreamVersion{first}, StreamVersion{last}}};
}

// Versions in talked(): 1 opened, 2 and 3 prompts. In completed(): 1 opened, 2 prompt, 3 lease, 4
// turn, 5 and 6 the agent, 7 its output, 8 the result, 9 closed, 10 the end of the lease.
std::vector<support::Fact> talked() {
  using support::operator+;
  return support::starting() + fact(TurnQueued{turn(2)}).with("second prompt");
}
std::vector<support::Fact> completed_with_lease() {
  using support::operator+;
  return support::running(false) + fact(OutputRecorded{turn(1), 1, OutputKind::text}).with("text") +
         fact(TurnFinished{turn(1), {}}).with("result") +
         SessionClosed{SessionStatus::completed, EndReason::none};
}
std::vector<support::Fact> completed() {
  using support::operator+;
  return completed_with_lease() + LeaseReleased{kToken};
}

TEST_CASE("an ended session is erased whole, up to its last text", "[session]") {
  const auto after = given(completed()).when(EraseContent{}).then(ContentErased{events(1, 8)});
  CHECK(is_wholly_erased(after.session()));
  CHECK(after.session().erasure.value == 11);
  CHECK(after.session().erasure_completed.value == 0);
}

TEST_CASE("a name that was made from a prompt goes with the prompt", "[session]") {
  Spawn c;
  c.spec = support::sample_spec(true);
  c.prompt = "Rename swordfish to marlin";
  auto world = support::Given();
  const auto outcome = world.when(c).outcome();
  REQUIRE(outcome);
  for (const Emitted& e : *outcome) {
    world.fold(domain::visit(
        [&](const auto& x) { return fact(x).on(e.stream).with(e.content.text); }, e.event));
  }
  world.fold({LeaseGranted{support::kWorker, kToken, {}}, TurnStarted{support::kOwnTurn, kToken},
              fact(TurnFinished{support::kOwnTurn, {}}).by_report(1, 1)});
  CHECK(made_name_at(world.session()).value != 0);
  const auto after = world.when(EraseContent{events(3, 3)}).then(ContentErased{events(2, 3)});
  CHECK(made_name_at(after.session()).value == 0);
  CHECK(label(after.session()) == after.session().alias);
  // The name can be erased alone, too.
  world.when(EraseContent{events(2, 2)}).then(ContentErased{events(2, 2)});
}

TEST_CASE("events are erased as they are named, from the first to the last", "[session]") {
  const auto world = given(completed());
  for (const auto& [first, last] : {std::pair{1, 1}, {1, 10}, {10, 10}, {2, 3}}) {
    INFO(first << " to " << last);
    world.when(EraseContent{events(first, last)}).then(ContentErased{events(first, last)});
  }
  for (const auto& [first, last] : {std::pair{0, 1}, {-1, 1}, {3, 2}, {1, 11}, {11, 11}}) {
    INFO(first << " to " << last);
    world.when(EraseContent{events(first, last)}).then_rejected(RejectionCode::invalid);
  }
}

TEST_CASE("what was erased is not erased again", "[session]") {
  given(completed(), ContentErased{events(1, 8)})
      .when(EraseContent{})
      .then(NothingChanged{"EraseContent"});
  given(completed(), ContentErased{events(2, 2)})
      .when(EraseContent{events(1, 3)})
      .then(ContentErased{
          {{StreamVersion{1}, StreamVersion{1}}, {StreamVersion{3}, StreamVersion{3}}}});
  given(completed(), ContentErased{events(1, 8)}).when(ExpireContent{}).then_nothing();
}

TEST_CASE("a session that may yet say something is not erased whole", "[session]") {
  given(support::idle()).when(EraseContent{}).then_rejected(RejectionCode::content_in_use);
  given(completed_with_lease()).when(EraseContent{}).then_rejected(RejectionCode::lease_held);
  given(completed_with_lease()).when(ExpireContent{}).then_rejected(RejectionCode::lease_held);
  given().when(EraseContent{}).then_rejected(RejectionCode::not_found);
}

TEST_CASE("single events are erased in a live session too, in any order", "[session]") {
  const EraseContent command{
      {{StreamVersion{6}, StreamVersion{7}}, {StreamVersion{2}, StreamVersion{2}}}};
  given(support::idle())
      .when(command)
      .then(ContentErased{
          {{StreamVersion{2}, StreamVersion{2}}, {StreamVersion{6}, StreamVersion{7}}}});
}

TEST_CASE("a prompt that the agent is yet to be given is not erased", "[session]") {
  // The system prompt and the prompts that wait, then the prompt of the running turn.
  for (const std::int64_t version : {1, 2, 3}) {
    given(talked())
        .when(EraseContent{events(version, version)})
        .then_rejected(RejectionCode::content_in_use);
  }
  given(support::running())
      .when(EraseContent{events(2, 4)})
      .then_rejected(RejectionCode::content_in_use);
  given(support::idle()).when(EraseContent{events(2, 4)}).then(ContentErased{events(2, 4)});
}

TEST_CASE("events that the session does not have cannot be erased", "[session]") {
  for (const auto& wrong : {events(0, 1), events(11, 11), events(5, 4), events(-3, 2)}) {
    given(completed()).when(EraseContent{wrong}).then_rejected(RejectionCode::invalid);
  }
}

TEST_CASE("a session has no more stretches of erased events than the limit allows", "[session]") {
  Limits limits;
  limits.erased_max = 1;
  const auto world = given(completed(), ContentErased{events(2, 2)}).with_limits(limits);
  world.when(EraseContent{events(7, 7)}).then_rejected(RejectionCode::limit_reached);
  world.when(EraseContent{events(3, 3)}).then(ContentErased{events(3, 3)});
  world.when(EraseContent{})
      .then(ContentErased{
          {{StreamVersion{1}, StreamVersion{1}}, {StreamVersion{3}, StreamVersion{8}}}});
}

TEST_CASE("an inconsistent session is erased all the same", "[session]") {
  given(completed(), LeaseReleased{kToken})
      .even_inconsistent()
      .when(EraseContent{})
      .then(ContentErased{events(1, 8)});
}

TEST_CASE("what was kept for long enough is erased as retention", "[session]") {
  given(completed())
      .when(ExpireContent{})
      .then(ContentErased{events(1, 8), ErasureReason::retention});
}

TEST_CASE("an erasure is completed once, and only one that was asked for", "[session]") {
  const auto asked = given(completed(), ContentErased{events(1, 8)});
  asked.when(SessionCommand(CompleteErasure{{12}})).then_nothing();
  const auto done =
      asked.when(SessionCommand(CompleteErasure{{11}})).then(ContentErasureCompleted{{11}});
  CHECK(done.session().erasure_completed.value == 11);
  done.when(SessionCommand(CompleteErasure{{11}})).then_nothing();
  given(completed()).when(SessionCommand(CompleteErasure{{1}})).then_nothing();
}

TEST_CASE("an erasure that names nothing, or what is yet to come, marks the state", "[session]") {
  for (const auto& wrong : {VersionRanges{}, events(1, 11), events(0, 3)}) {
    CHECK_FALSE(given(completed(), ContentErased{wrong}).even_inconsistent().is_consistent());
  }
  CHECK_FALSE(given(completed(), ContentErasureCompleted{{3}}).even_inconsistent().is_consistent());
}

}  // namespace
}  // namespace domain
