// Events and structs as JSON for people and programs: valid and safe for a terminal, whatever their
// bytes.
#include "workers/json/json.hpp"
#include "eventlog/domain/session/events.hpp"

#include <nlohmann/json.hpp>

#include "projections/views/session_list.hpp"
#include "tests/support/catch.hpp"
#include "tools/steno/text/facts_text.hpp"
#include "workers/json/event_json.hpp"

namespace {

using nlohmann::json;
using workers::msgpack_to_json;
using workers::to_json;

base::Bytes pack(const std::function<void(base::MsgpackWriter&)>& write) {
  base::Bytes bytes;
  base::MsgpackWriter writer(bytes);
  write(writer);
  return bytes;
}

TEST_CASE("msgpack becomes JSON, value by value", "[tools]") {
  CHECK(msgpack_to_json(pack([](auto& w) { w.nil(); })) == "null");
  CHECK(msgpack_to_json(pack([](auto& w) { w.boolean(true); })) == "true");
  CHECK(msgpack_to_json(pack([](auto& w) { w.integer(-5); })) == "-5");
  CHECK(msgpack_to_json(pack([](auto& w) { w.text("a\"b\n"); })) == R"("a\"b\n")");
  const auto map = pack([](auto& w) {
    w.map(2);
    w.text("list");
    w.array(2);
    w.integer(1);
    w.integer(2);
    w.text("empty");
    w.map(0);
  });
  CHECK(msgpack_to_json(map) == R"({"list":[1,2],"empty":{}})");
}

TEST_CASE("ids are shown as ids, and other bytes as bytes", "[tools]") {
  const std::string id = "01890a5d-ac96-774b-bcce-b302099a8057";
  CHECK(msgpack_to_json(pack([&](auto& w) { w.binary(base::SessionId::parse(id)->view()); })) ==
        "\"" + id + "\"");
  CHECK(msgpack_to_json(pack([](auto& w) { w.binary("\x01\xff"); })) == R"({"hex":"01ff"})");
  std::string base64;
  for (int i = 0; i < 21; ++i) base64 += "QUFB";
  CHECK(to_json(base::Binary{std::string(65, 'A')}) == "{\"base64\":\"" + base64 + "QUE=\"}");
  CHECK(to_json(base::SessionId{}) == "null");
}

TEST_CASE("numbers of later releases are shown too", "[tools]") {
  CHECK(msgpack_to_json(std::string_view("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", 9)) == "1.5");
  CHECK(msgpack_to_json(std::string_view("\xca\x40\x20\x00\x00", 5)) == "2.5");
  CHECK(msgpack_to_json(std::string_view("\xd4\x01\x02", 3)) == R"({"hex":"d40102"})");
}

TEST_CASE("bytes that are not msgpack are null", "[tools]") {
  CHECK(msgpack_to_json("") == "null");
  CHECK(msgpack_to_json("\xc1") == "null");
  CHECK(msgpack_to_json("\x92\x01") == "null");
  CHECK(msgpack_to_json("\x01\x02") == "null");
  CHECK(msgpack_to_json(std::string(1000, '\x91')) == "null");
}

TEST_CASE("control characters are escaped, also those that a terminal obeys", "[tools]") {
  CHECK(to_json(std::string("\x1b[31m")) == R"("\u001b[31m")");
  CHECK(to_json(std::string("\xc2\x9b")) == R"("\u009b")");
  CHECK(to_json(std::string("\x7f")) == R"("\u007f")");
  CHECK(to_json(std::string("é世")) == "\"é世\"");
  CHECK(to_json(std::string("\xff")) == R"({"hex":"ff"})");
}

TEST_CASE("a struct is shown with all of its fields, and money in dollars", "[tools]") {
  projections::SessionRow row;
  row.name = "n";
  row.cost = {12'500'000};
  row.created_at = {1'795'190'400'000'001};
  const json shown = json::parse(to_json(row));
  CHECK(shown.at("name") == "n");
  CHECK(shown.at("cost_usd") == 0.0125);
  CHECK(shown.at("budget_usd") == 0);
  CHECK(shown.at("status") == "none");
  CHECK(shown.at("created_at") == "2026-11-20T16:00:00.000001Z");
  CHECK(shown.at("closed_at").is_null());
  CHECK(shown.at("multi_turn") == false);
  CHECK(shown.at("usage").at("input") == 0);
}

TEST_CASE("what stands for a name is shown as one, whatever it is", "[tools]") {
  // 30 maps, each the name in the one before: escaped again at each level, it would take gigabytes.
  const auto deep = pack([](auto& w) {
    for (int i = 0; i < 30; ++i) w.map(1);
    w.text("\"");
    for (int i = 0; i < 30; ++i) w.nil();
  });
  CHECK(msgpack_to_json(deep).size() < 1000);
  CHECK(json::accept(msgpack_to_json(deep)));
  CHECK(msgpack_to_json(pack([](auto& w) {
          w.map(1);
          w.integer(7);
          w.nil();
        })) == R"({"7":null})");
  domain::RecordedEvent recorded;
  recorded.event = domain::QueueContinued{};
  recorded.extra.emplace_back("\xFF", pack([](auto& w) { w.text("x"); }));
  CHECK(json::parse(workers::event_json({recorded, 0})).size() > 1);
}

TEST_CASE("an object takes in the fields of another", "[tools]") {
  workers::JsonObject object;
  object.add_fields("{}").add_fields(R"({"a":1,"b":{"c":2}})").add_fields("{}").add("d", "}");
  CHECK(object.text() == R"({"a":1,"b":{"c":2},"d":"}"})");
  CHECK(workers::JsonObject().add_fields(object.text()).text() == object.text());
}

TEST_CASE("an event is shown whole, as JSON and as a line of facts", "[tools]") {
  domain::RecordedEvent recorded;
  recorded.envelope.position = {7};
  recorded.envelope.stream = "main/session/x";
  recorded.envelope.type = "TurnFinished";
  domain::TurnFinished finished;
  finished.turn = *base::TurnId::parse("01890a5d-ac96-774b-bcce-b302099a8057");
  finished.cost.cost = {12'500'000};
  finished.cost.took = std::chrono::seconds(3);
  recorded.event = finished;
  recorded.content = domain::Content{"done"};
  const json shown = json::parse(workers::event_json({recorded, 0}));
  CHECK(shown.at("position") == 7);
  CHECK(shown.at("type") == "TurnFinished");
  CHECK(shown.at("facts").at("cost").at("cost_usd") == 0.0125);
  CHECK(shown.at("content") == "done");
  CHECK(steno::facts_text(recorded.event) == "turn=…9a8057 cost=0.0125 took=3s");
}

TEST_CASE("every event can be shown, and none writes control characters", "[tools]") {
  domain::SessionOpened opened;
  opened.name = "evil\x1b[2J";
  CHECK(steno::facts_text(opened).find('\x1b') == std::string::npos);
  domain::RecordedEvent recorded;
  recorded.event = opened;
  CHECK(workers::event_json({recorded, 0}).find('\x1b') == std::string::npos);
}

}  // namespace
