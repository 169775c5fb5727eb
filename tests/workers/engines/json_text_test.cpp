// JSON read in place: a value is decoded only when asked for, wrong kinds give nothing, and numbers
// stay within bounds.
#include "workers/engines/json_text.hpp"

#include "eventlog/base/msgpack.hpp"
#include "tests/support/catch.hpp"

namespace {

using engines::JsonLine;
using engines::JsonObject;

TEST_CASE("values keep their own text until they are asked for", "[workers]") {
  const JsonLine line(R"({"a" : { "x":[1, 2] } , "b":[ ] ,"c": {} , "d":"t\n", "e": null })");
  const JsonObject object = line.object().value();
  CHECK(object["a"].source() == R"({ "x":[1, 2] })");
  CHECK(object["a"].object()["x"].items().size() == 2);
  CHECK(object["a"].object()["x"].items()[1].source() == "2");
  CHECK(object["b"].source() == "[ ]");
  CHECK(object["b"].items().empty());
  CHECK(object["c"].source() == "{}");
  CHECK(object["c"].object()["x"].is_null());
  CHECK(object["d"].text() == "t\n");
  CHECK(object["e"].is_null());
  CHECK(object["f"].is_null());
}

TEST_CASE("a value asked for another kind than it is answers with nothing", "[workers]") {
  const JsonLine line(R"({"text":"5","number":5,"list":[1],"yes":true})");
  const JsonObject object = line.object().value();
  CHECK(object["text"].count() == 0);
  CHECK(object["number"].text().empty());
  CHECK(object["list"].object()["0"].is_null());
  CHECK(object["yes"].items().empty());
  CHECK(object["yes"].is_true());
  CHECK_FALSE(object["number"].is_true());
}

TEST_CASE("a number is bounded, also one that no double holds", "[workers]") {
  const auto count_of = [](const std::string& number) {
    const JsonLine line("{\"n\":" + number + ",\"m\":1}");
    const auto value = line.object().value()["n"];
    return std::pair(value.count(), value.billionths());
  };
  const std::int64_t most = base::kIntegerLimit - 1;
  CHECK(count_of("7") == std::pair<std::int64_t, std::int64_t>(7, 7'000'000'000));
  CHECK(count_of("1e300") == std::pair(most, most));
  CHECK(count_of("1e400") == std::pair(most, most));
  CHECK(count_of("1E+400") == std::pair(most, most));
  CHECK(count_of(std::string(400, '9')) == std::pair(most, most));
  const std::pair<std::int64_t, std::int64_t> none;
  for (const std::string small : {"1e-400", "-1e400", "-7", "0"}) CHECK(count_of(small) == none);
  CHECK(count_of("-" + std::string(400, '9')) == none);
  CHECK(count_of("0." + std::string(400, '0') + "1") == none);
}

TEST_CASE("half of a surrogate pair becomes the replacement character", "[workers]") {
  const auto text_of = [](const std::string& escaped) {
    const JsonLine line("{\"t\":\"" + escaped + "\"}");
    return line.object().value()["t"].text();
  };
  CHECK(text_of("\\ud83d\\ude00") == "\xF0\x9F\x98\x80");
  CHECK(text_of("a\\ud83d") == "a\xEF\xBF\xBD");
  CHECK(text_of("\\ude00b") ==
        "\xEF\xBF\xBD"
        "b");
  CHECK(text_of("\\ud83d\\ud83d\\ude00") == "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  CHECK(text_of("\\\\ud83d\\ud83d") == "\\ud83d\xEF\xBF\xBD");
}

}  // namespace
