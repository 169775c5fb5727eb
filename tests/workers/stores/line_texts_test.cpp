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
  const std::string line = R"({"a":"x\ny","b":{"c":[1, 2.50]},"d":"x\ny"})";
  const std::vector<LineText> texts = {
      quoted(line, R"("x\ny")", "x\ny"),
      {"{\"c\":[1, 2.50]}", std::string_view(line).substr(line.find("{\"c\""), 15), false}};
  const std::string rest = without_texts(line, texts);
  CHECK(rest == "{\"a\":\x01q1\x01,\"b\":\x01r2\x01,\"d\":\"x\\ny\"}");
  CHECK(whole(rest, {"x\ny", "{\"c\":[1, 2.50]}"}) == line);
}

TEST_CASE("a long text that a line has twice is taken out twice", "[stores]") {
  const std::string text(100, 'a');
  const std::string line = "[\"" + text + "\",\"" + text + "\"]";
  const std::vector<LineText> texts = {quoted(line, "\"" + text + "\"", text)};
  const std::string rest = without_texts(line, texts);
  CHECK(rest == "[\x01q1\x01,\x01q1\x01]");
  CHECK(whole(rest, {text}) == line);
}

TEST_CASE("a text that is written otherwise than it would be again stays", "[stores]") {
  for (const std::string source : {R"("a\/b")", R"("\u0041")", R"("\u00e9")"}) {
    const std::string line = "[" + source + "]";
    const std::string text = source == R"("a\/b")" ? "a/b" : source == R"("\u0041")" ? "A" : "é";
    CHECK(without_texts(line, std::vector<LineText>{quoted(line, source, text)}) == line);
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
