// A session has labels from its beginning, or is given them later, also after its end.
#include "eventlog/domain/session/deciding.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;

Spawn labelled(std::vector<std::string> labels) {
  Spawn c;
  c.name = "fix-bug";
  c.spec = support::sample_spec(true);
  c.prompt = "go";
  c.labels = std::move(labels);
  return c;
}

std::vector<SessionLabelled> labels_in(const Decided& decided) {
  REQUIRE(decided);
  std::vector<SessionLabelled> all;
  for (const Emitted& one : *decided) {
    if (const auto* event = one.event.as<SessionLabelled>()) all.push_back(*event);
  }
  return all;
}

TEST_CASE("a session begins with its labels, each once", "[session]") {
  const auto changes = labels_in(given().when(labelled({"urgent", "nightly", "urgent"})).outcome());
  CHECK(changes == std::vector<SessionLabelled>{{{"urgent", "nightly"}, {}}});
  CHECK(labels_in(given().when(labelled({})).outcome()).empty());
  given().when(labelled({"a,b"})).then_rejected(RejectionCode::invalid);
}

TEST_CASE("labels are given and taken, also after the end", "[session]") {
  auto past = support::killed();
  past.emplace_back(SessionLabelled{{"urgent", "alpha"}, {}});
  CHECK(*given(past).session().labels == std::vector<std::string>{"alpha", "urgent"});
  given(past)
      .when(LabelSession{{"new", "alpha"}, {"urgent", "unknown"}})
      .then(SessionLabelled{{"new"}, {"urgent"}});
  given(past)
      .when(LabelSession{{"alpha"}, {"unknown"}})
      .then(NothingChanged{std::string(LabelSession::kType)});
  given().when(LabelSession{{"a"}, {}}).then_rejected(RejectionCode::not_found);
}

TEST_CASE("a label that cannot be changes nothing", "[session]") {
  const auto refused = [](LabelSession command) {
    given(support::idle()).when(command).then_rejected(RejectionCode::invalid);
  };
  refused({{"two\nlines"}, {}});
  refused({{""}, {}});
  refused({{"a,b"}, {}});
  refused({{std::string(1'000, 'x')}, {}});
  refused({{"a"}, {"a"}});
  refused({std::vector<std::string>(65, "a"), {}});
  refused({{}, std::vector<std::string>(65, "a")});
  LabelSession many;
  for (int i = 0; i < 33; ++i) many.add.push_back("label" + std::to_string(i));
  refused(many);
  many.add.pop_back();
  CHECK(given(support::idle()).when(many).outcome());
  // Those that it has count, and those that are taken away do not.
  const auto full = support::idle() + SessionLabelled{many.add, {}};
  given(full).when(LabelSession{{"one-more"}, {}}).then_rejected(RejectionCode::invalid);
  given(full)
      .when(LabelSession{{"one-more"}, {"label0"}})
      .then(SessionLabelled{{"one-more"}, {"label0"}});
}

TEST_CASE("whoever goes on with a session goes on under its labels", "[session]") {
  auto past = support::killed();
  past.emplace_back(SessionLabelled{{"urgent"}, {}});
  auto& source = *past.front().event.as<SessionOpened>();
  source.session = source.lineage = support::kSource;
  for (Fact& each : past) {
    if (each.stream.empty()) each = std::move(each).on(support::kSourceStream);
  }
  past.push_back(fact(LeaseReleased{support::kToken}).on(support::kSourceStream));
  Spawn resumes = labelled({"again"});
  resumes.name.clear();
  resumes.resume = support::kSource;
  const auto changes = labels_in(given(past).when(resumes).outcome());
  CHECK(changes == std::vector<SessionLabelled>{{{"again", "urgent"}, {}}});
}

}  // namespace
}  // namespace domain
