// A line without its texts becomes whole again, byte for byte.
#include "workers/stores/line_texts.hpp"

#include "tests/support/catch.hpp"

namespace workers {
namespace {

LineText quoted(std::string_view line, std::string_view source, std::string text) {
  return {std::move(text), line.substr(line.find(source), source.size()), true};
}

std::string whole(const std::string& rest, const std::vector<std::string>& texts) {
  std::vector<const std::string*> pointers;
  for (const std::string& text : texts) pointers.push_back(&text);
  return with_texts(rest, pointers);
}

TEST_CASE("texts are taken out of a line and put back", "[stores]") {
  const std::string line = R"({"a":"x\ny","b":{"c":[1, 2.50]}})";
  const std::vector<LineText> texts = {
      quoted(line, R"("x\ny")", "x\ny"),
      {"{\"c\":[1, 2.50]}", std::string_view(line).substr(line.find("{\"c\""), 15), false}};
  const std::string rest = without_texts(line, texts);
  CHECK(rest == "{\"a\":\x01q1\x01,\"b\":\x01r2\x01}");
  CHECK(whole(rest, {"x\ny", "{\"c\":[1, 2.50]}"}) == line);
}

TEST_CASE("a text that a line has twice is taken out twice", "[stores]") {
  const std::string line = R"({"x":["ok"],"out":"ok","ok":"ok" ,"type":"ok","a":"\"ok\""})";
  const std::vector<LineText> texts = {quoted(line, R"("ok")", "ok")};
  const std::string rest = without_texts(line, texts);
  CHECK(rest ==
        "{\"x\":[\x01q1\x01],\"out\":\x01q1\x01,\"ok\":\x01q1\x01 ,\"type\":\"ok\","
        "\"a\":\"\\\"ok\\\"\"}");
  CHECK(whole(rest, {"ok"}) == line);
  const std::string comma = R"(["a","b",","])";
  CHECK(without_texts(comma, std::vector<LineText>{{",", std::string_view(comma).substr(9, 3),
                                                    true}}) == "[\"a\",\"b\",\x01q1\x01]");
}

TEST_CASE("a text is taken out however it is written, and comes back so", "[stores]") {
  const std::pair<std::string, std::string> samples[] = {
      {R"("a\/b")", "a/b"},
      {R"("\u0041")", "A"},
      {R"("h\u00fcnter2")", "hünter2"},
      {R"("\u00FC\u00Fc\u00fC")", "üüü"},
      {R"("\u6771\u4eac, ü")", "東京, ü"},
      {R"("so \ud83d\uDE00 it")", "so 😀 it"},
      {R"("half \ud83d1")", "half \uFFFD1"},
      {R"("\u000a\u0022\u005C\n\u001f\u001F")", "\n\"\\\n\x1f\x1f"}};
  for (const auto& [source, text] : samples) {
    const std::string line = "[" + source + "]";
    const std::string rest = without_texts(line, std::vector<LineText>{quoted(line, source, text)});
    INFO(rest);
    CHECK(
        rest.starts_with("[\x01"
                         "e1:"));
    CHECK(rest.find(text) == std::string::npos);
    CHECK(rest.find(source) == std::string::npos);
    CHECK(whole(rest, {text}) == line);
    const std::string* const none = nullptr;
    CHECK(with_texts(rest, std::vector<const std::string*>{none}) == "[\"\"]");
  }
}

TEST_CASE("strings are written as JavaScript writes them", "[stores]") {
  CHECK(line_string("a\"b\\c\b\f\n\r\t\x1f/é\xE2\x80\xA8") ==
        "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u001f/é\xE2\x80\xA8\"");
  CHECK(line_string(std::string_view("\0", 1)) == "\"\\u0000\"");
}

TEST_CASE("in place of a text that was erased stands an empty one", "[stores]") {
  const std::string* const none = nullptr;
  CHECK(with_texts("[\x01q1\x01]", std::vector<const std::string*>{none}) == "[\"\"]");
  CHECK(with_texts("[\x01r1\x01]", std::vector<const std::string*>{none}) == "[{}]");
  CHECK(with_texts("[\x01q7\x01]", {}) == "[\"\"]");
}

}  // namespace
}  // namespace workers
