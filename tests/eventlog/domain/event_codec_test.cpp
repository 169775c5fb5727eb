// Events survive encoding, fields of later releases included. Unknown types, newer schemas and
// damaged bytes are refused with the reason.
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/all_events.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_value.hpp"

namespace domain {
namespace {

// Returns an event of that type with random facts and a random envelope, as the codec decodes it.
RecordedEvent random_event(std::string_view type, base::Random& random) {
  support::RandomValue values(random, false);
  RecordedEvent event;
  values.fill(event.envelope);
  event.event = *make_event(type);
  domain::visit([&](auto& e) { values.fill(e); }, event.event);
  event.envelope.type = type;
  event.envelope.schema = 1;
  return event;
}

// Returns the bytes of an event of this type and schema, with empty facts.
Bytes facts_of(std::string_view type, std::int64_t schema) {
  Bytes bytes;
  base::MsgpackWriter writer(bytes);
  writer.map(3);
  writer.text("t");
  writer.text(type);
  writer.text("n");
  writer.integer(schema);
  writer.text("f");
  writer.map(0);
  return bytes;
}

TEST_CASE("every event comes back from its bytes as it was", "[session]") {
  RecordedEvent used;  // holds the previous event
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    base::SeededRandom random(seed);
    for (const std::string_view type : event_types()) {
      const RecordedEvent event = random_event(type, random);
      const Bytes bytes = encode_facts(event);
      REQUIRE(decode_facts_to(used, bytes));
      REQUIRE(used == event);
      const auto back = decode_facts(bytes);
      INFO(support::text_of(event.event));
      REQUIRE(back);
      REQUIRE(*back == event);
      REQUIRE(encode_facts(*back) == bytes);
      const auto envelope = decode_envelope(bytes);
      REQUIRE(envelope);
      REQUIRE(*envelope == event.envelope);
      const auto routing = decode_routing(bytes);
      REQUIRE(routing);
      REQUIRE(routing->stream == event.envelope.stream);
      REQUIRE(routing->version == event.envelope.version);
    }
  }
}

TEST_CASE("an event without any field set is carried too", "[session]") {
  for (const std::string_view type : event_types()) {
    RecordedEvent event;
    event.event = *make_event(type);
    const auto back = decode_facts(encode_facts(event));
    REQUIRE(back);
    CHECK(back->event == event.event);
    CHECK(back->envelope.type == type);
  }
}

TEST_CASE("an event is stored under its own type and schema, whatever its envelope says",
          "[session]") {
  for (const std::string_view type : event_types()) {
    RecordedEvent right;
    right.event = *make_event(type);
    right.envelope.type = type;
    right.envelope.schema = 1;
    const Bytes bytes = encode_facts(right);
    RecordedEvent wrong = right;
    wrong.envelope.type = "NoSuchEvent";
    CHECK(encode_facts(wrong) == bytes);
    wrong = right;
    wrong.envelope.schema = 2;
    CHECK(encode_facts(wrong) == bytes);
  }
}

TEST_CASE("a text comes back from its bytes, and its size without it", "[session]") {
  for (const std::string text : {"", "Fix it.", "grüße"}) {
    const Bytes bytes = encode_content({text});
    CHECK(decode_content(bytes)->text == text);
    CHECK(*content_bytes(bytes) == text.size());
  }
  CHECK_FALSE(decode_content("\xC1"));
  CHECK_FALSE(content_bytes("\xC1"));
}

TEST_CASE("names of event types are their structs' and each is there once", "[session]") {
  const auto types = event_types();
  CHECK(types.size() == AllEvents::kCount);
  CHECK(std::set<std::string_view>(types.begin(), types.end()).size() == types.size());
  for (const std::string_view type : types) CHECK(make_event(type)->type() == type);
  CHECK_FALSE(make_event("NoSuchEvent"));
  CHECK_FALSE(make_event(""));
}

TEST_CASE("an event of an unknown type is refused as a later release's", "[session]") {
  const auto event = decode_facts(facts_of("SessionTeleported", 1));
  REQUIRE_FALSE(event);
  CHECK(event.error().code == base::ErrorCode::wrong_log);
  CHECK(event.error().where == "SessionTeleported");
  CHECK(check_known(facts_of("SessionTeleported", 1)).error().where == "SessionTeleported");
}

TEST_CASE("an event of a newer schema is refused as a later release's", "[session]") {
  for (const std::string_view type : event_types()) {
    REQUIRE(decode_facts(facts_of(type, 1)));
    REQUIRE(check_known(facts_of(type, 1)));
    const auto event = decode_facts(facts_of(type, 2));
    REQUIRE_FALSE(event);
    CHECK(event.error().code == base::ErrorCode::wrong_log);
    CHECK(check_known(facts_of(type, 2)).error().code == base::ErrorCode::wrong_log);
  }
}

TEST_CASE("fields that a later release added are kept and written again", "[session]") {
  for (const std::string_view type : event_types()) {
    base::SeededRandom random(5);
    RecordedEvent event = random_event(type, random);
    Bytes nested;
    base::MsgpackWriter writer(nested);
    writer.array(2);
    writer.integer(1);
    writer.text("later");
    event.extra = {{"added_later", nested}, {"another", Bytes("\xC0")}};
    const Bytes bytes = encode_facts(event);
    const auto back = decode_facts(bytes);
    REQUIRE(back);
    CHECK(back->extra == event.extra);
    CHECK(back->event == event.event);
    CHECK(encode_facts(*back) == bytes);
  }
}

TEST_CASE("a field of the wrong kind is named with its event's type", "[session]") {
  Bytes bytes;
  base::MsgpackWriter writer(bytes);
  writer.map(2);
  writer.text("t");
  writer.text("AgentExited");
  writer.text("f");
  writer.map(1);
  writer.text("exit_code");
  writer.text("zero");
  const auto event = decode_facts(bytes);
  REQUIRE_FALSE(event);
  CHECK(event.error().code == base::ErrorCode::invalid);
  CHECK(event.error().where == "AgentExited.exit_code");
}

TEST_CASE("facts may stand before the type that says what they are", "[session]") {
  Bytes bytes;
  base::MsgpackWriter writer(bytes);
  writer.map(3);
  writer.text("f");
  writer.map(1);
  writer.text("exit_code");
  writer.integer(3);
  writer.text("t");
  writer.text("AgentExited");
  writer.text("s");
  writer.text("stream");
  const auto event = decode_facts(bytes);
  REQUIRE(event);
  CHECK(event->envelope.stream == "stream");
  CHECK(event->event.get<AgentExited>().exit_code == 3);
}

TEST_CASE("an event that says two types is refused", "[session]") {
  Bytes bytes;
  base::MsgpackWriter writer(bytes);
  writer.map(3);
  writer.text("t");
  writer.text("AgentExited");
  writer.text("f");
  writer.map(0);
  writer.text("t");
  writer.text("AgentStarted");
  CHECK(decode_facts(bytes).error().code == base::ErrorCode::invalid);
}

TEST_CASE("an event without facts is refused", "[session]") {
  Bytes bytes;
  base::MsgpackWriter writer(bytes);
  writer.map(1);
  writer.text("t");
  writer.text("AgentExited");
  const auto event = decode_facts(bytes);
  REQUIRE_FALSE(event);
  CHECK(event.error().code == base::ErrorCode::invalid);
}

TEST_CASE("bytes cut short or followed by more are refused", "[session]") {
  base::SeededRandom random(6);
  for (const std::string_view type : event_types()) {
    const Bytes bytes = encode_facts(random_event(type, random));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      REQUIRE_FALSE(decode_facts(base::ByteView(bytes).substr(0, size)));
    }
    CHECK_FALSE(decode_facts(bytes + '\xC0'));
  }
}

TEST_CASE("damaged events are refused or decode to something that encodes", "[session]") {
  base::SeededRandom random(8);
  const auto types = event_types();
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = encode_facts(random_event(types[random.below(types.size())], random));
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    const auto event = decode_facts(bytes);
    INFO("seed 8, round " << round);
    if (event) REQUIRE(decode_facts(encode_facts(*event)));
  }
}

TEST_CASE("content comes back as it was, whatever its bytes", "[session]") {
  for (const std::string& text : {std::string(), std::string("text"), std::string("\xFF\0\xC0", 3),
                                  std::string(70'000, 'x')}) {
    const auto back = decode_content(encode_content({text}));
    REQUIRE(back);
    CHECK(back->text == text);
  }
}

}  // namespace
}  // namespace domain
