// Channels are shown a session's output from where they were, also after its end.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::given;

TEST_CASE("a channel comes to the foreground and leaves it", "[session][R060]") {
  const SetForeground on{"telegram|1", true};
  const SetForeground off{"telegram|1", false};
  given(support::running())
      .when(on)
      .then(ForegroundChanged{"telegram|1", true, {}})
      .when(on)
      .then(NothingChanged{"SetForeground"})
      .when(off)
      .then(ForegroundChanged{"telegram|1", false, {}})
      .when(off)
      .then(NothingChanged{"SetForeground"});
}

TEST_CASE("each channel has its own place, which never moves back", "[session][R060][R061][D05]") {
  auto world = given(support::running())
                   .when(MarkSeen{"telegram|1", {5}})
                   .then(OutputSeen{"telegram|1", {5}})
                   .when(MarkSeen{"slack|2", {3}})
                   .then(OutputSeen{"slack|2", {3}})
                   .when(MarkSeen{"telegram|1", {4}})
                   .then(NothingChanged{"MarkSeen"});
  CHECK(world.session().viewers->at("telegram|1").seen == Position{5});
  CHECK(world.session().viewers->at("slack|2").seen == Position{3});
}

TEST_CASE("the place is kept in the background", "[session][R062]") {
  auto world = given(support::running(), ForegroundChanged{"telegram|1", true, {}},
                     OutputSeen{"telegram|1", {5}})
                   .when(SetForeground{"telegram|1", false})
                   .then(ForegroundChanged{"telegram|1", false, {5}});
  CHECK(world.session().viewers->at("telegram|1") == Viewer{false, {5}});
}

TEST_CASE("an ended session can be shown, and again", "[session][R080]") {
  given(support::killed())
      .when(SetForeground{"telegram|1", true})
      .then(ForegroundChanged{"telegram|1", true, {}})
      .when(SetForeground{"telegram|1", true})
      .then(ForegroundChanged{"telegram|1", true, {}});
}

TEST_CASE("a channel or place that cannot be is refused", "[session]") {
  given(support::running()).when(SetForeground{"", true}).then_rejected(RejectionCode::invalid);
  given(support::running())
      .when(SetForeground{std::string(257, 'x'), true})
      .then_rejected(RejectionCode::invalid);
  given(support::running())
      .when(MarkSeen{"telegram|1", {1'000}})
      .then_rejected(RejectionCode::invalid);
  given(support::running())
      .when(MarkSeen{"telegram|1", {-1}})
      .then_rejected(RejectionCode::invalid);
  given().when(MarkSeen{"telegram|1", {0}}).then_rejected(RejectionCode::not_found);
  auto world = given(support::running());
  for (std::size_t i = 0; i < kViewersMax; ++i) {
    world.fold(ForegroundChanged{"telegram|" + std::to_string(i), true, {}});
  }
  world.when(SetForeground{"telegram|0", false}).then(ForegroundChanged{"telegram|0", false, {}});
  world.when(SetForeground{"slack|1", true}).then_rejected(RejectionCode::limit_reached);
}

TEST_CASE("of many channels the one that has seen least is forgotten", "[session]") {
  auto world = given(support::running());
  for (std::size_t i = 0; i < kViewersMax; ++i) {
    world.fold(OutputSeen{"telegram|" + std::to_string(i), {i == 7 ? 1 : 2}});
  }
  auto after =
      world.when(SetForeground{"slack|1", true}).then(ForegroundChanged{"slack|1", true, {}});
  CHECK(after.session().viewers->size() == kViewersMax);
  CHECK_FALSE(after.session().viewers->contains("telegram|7"));
}

}  // namespace
}  // namespace domain
