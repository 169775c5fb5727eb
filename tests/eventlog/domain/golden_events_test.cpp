// A released event type loads for ever: its bytes are kept in tests/golden/events.
#include "eventlog/base/hash.hpp"
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_value.hpp"

namespace domain {
namespace {

std::string file_of(std::string_view type) {
  return "events/" + std::string(type) + ".v1.hex";
}

// Returns an event with every field, and every field of its envelope, set to a value that is not
// the default.
Bytes sample(std::string_view type) {
  base::SeededRandom random(base::xxh3(type));
  support::RandomValue values(random, true);
  RecordedEvent event;
  values.fill(event.envelope);
  event.event = *make_event(type);
  domain::visit([&](auto& e) { values.fill(e); }, event.event);
  return encode_facts(event);
}

TEST_CASE("every event type has golden bytes that decode and encode to the same", "[session]") {
  for (const std::string_view type : event_types()) {
    const auto bytes = support::golden(file_of(type), [&] { return sample(type); });
    INFO("tests/golden/" << file_of(type)
                         << "; a new event's file is written by running this test with "
                            "STENO_WRITE_GOLDEN=1");
    REQUIRE(bytes);
    const auto event = decode_facts(*bytes);
    REQUIRE(event);
    CHECK(event->envelope.type == type);
    CHECK(event->envelope.schema == 1);
    // A renamed field would become an unknown one and still encode to the same bytes.
    CHECK(event->extra.empty());
    CHECK(encode_facts(*event) == *bytes);
  }
}

TEST_CASE("a golden event shows every field that was there when it was written", "[session]") {
  for (const std::string_view type : event_types()) {
    const auto bytes = support::golden(file_of(type), [&] { return sample(type); });
    REQUIRE(bytes);
    const auto event = decode_facts(*bytes);
    REQUIRE(event);
    const bool has_fields = support::text_of(*make_event(type)) != support::text_of(event->event);
    const bool needs_none = type == "AgentStartFailed" || type == "CloseRequested" ||
                            type == "AnchorRequested" || type == "QueueContinued" ||
                            type == "AttentionDismissed" || type == "LongRunReached" ||
                            type == "ConversationDeleted" || type == "MessageFileAttached" ||
                            type == "TaskWithdrawn";
    CHECK((has_fields || needs_none));
    CHECK(event->envelope.content);
    CHECK(event->envelope.token.value != 0);
  }
}

TEST_CASE("the worked example of the README is a golden event", "[session]") {
  const auto bytes = support::golden(file_of("LeaseExpired"), [] { return Bytes(); });
  REQUIRE(bytes);
  CHECK(support::readme_example("eventlog/README.md", "de 0011 ") == *bytes);
}

TEST_CASE("every golden event belongs to an event type", "[session]") {
  const auto types = event_types();
  std::set<std::string> wanted;
  for (const std::string_view type : types) wanted.insert(file_of(type));
  for (const auto& entry : std::filesystem::directory_iterator(support::golden_path("events"))) {
    INFO("an event that was released stays for ever: " << entry.path());
    CHECK(wanted.contains("events/" + entry.path().filename().string()));
  }
}

}  // namespace
}  // namespace domain
