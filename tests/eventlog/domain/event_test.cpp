// An event holds a fact of any type, as a value.
#include "eventlog/domain/event.hpp"
#include "eventlog/domain/decision.hpp"

#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tests/support/catch.hpp"

namespace domain {
namespace {

const AgentNoted kNote{{}, "warning", "a tag that is too long to be inside of a string", {}};

TEST_CASE("an event is copied, moved and compared by its fact", "[session]") {
  const Event event = kNote;
  Event copy = event;
  CHECK(copy == event);
  Event moved = std::move(copy);
  CHECK(moved == event);
  moved = SessionClosed{SessionStatus::completed, EndReason::none};
  CHECK_FALSE(moved == event);
  moved = event;
  CHECK(moved == event);
  const Event& same = moved;
  moved = same;
  CHECK(moved == event);
  moved = Event();
  CHECK(moved == Event());
  CHECK_FALSE(moved == event);
  moved = std::move(copy = event);
  CHECK(moved.get<AgentNoted>().tag == kNote.tag);
}

TEST_CASE("an event tells its type", "[session]") {
  const Event event = kNote;
  CHECK(event.type() == "AgentNoted");
  CHECK(event.is<AgentNoted>());
  CHECK(event.as<AgentNoted>()->level == "warning");
  CHECK(event.as<SessionClosed>() == nullptr);
  CHECK(Event().type().empty());
  CHECK(Event().tag() == 0);
  CHECK(Event().as<AgentNoted>() == nullptr);
}

TEST_CASE("an event of a list is used, and another one is not", "[session]") {
  using Ends = base::Types<SessionClosed, AgentNoted>;
  std::string_view used;
  const auto use = [&]<class E>(const E&) { used = E::kType; };
  CHECK(use_one_of(Ends{}, kNote, use));
  CHECK(used == "AgentNoted");
  CHECK_FALSE(use_one_of(base::Types<SessionClosed>{}, kNote, use));
  CHECK_FALSE(use_one_of(Ends{}, Event(), use));
  CHECK(is_one_of<Ends>(kNote));
}

TEST_CASE("each type of event is found in the list of all, and visited as itself", "[session]") {
  std::size_t place = 0;
  for (const std::string_view type : event_types()) {
    const Event event = *make_event(type);
    CHECK(index_of(event) == place++);
    CHECK(visit([](const auto& fact) { return std::string_view(fact.kType); }, event) == type);
  }
}

TEST_CASE("a state is found as what it is", "[session]") {
  const StreamState held = RegistryState{};
  const StateRef state = held;
  CHECK(state.as<RegistryState>() == &std::get<RegistryState>(held));
  CHECK(state.as<SessionState>() == nullptr);
}

TEST_CASE("a name is matched against one pattern", "[session]") {
  CHECK(match_stream(RegistryStream::kPattern, "main/registry"));
  CHECK_FALSE(match_stream(RegistryStream::kPattern, "main/registry/"));
  CHECK_FALSE(match_stream(RegistryStream::kPattern, "$server"));
  CHECK_FALSE(match_stream(SessionStream::kPattern, "main/session/x"));
}

}  // namespace
}  // namespace domain
