// The documents' index is JSON5, and can be damaged.
#include "workers/stores/json5.hpp"

#include "tests/support/catch.hpp"

namespace workers {
namespace {

std::string value_of(const std::string& json5) {
  const Json5Members read = read_json5_object("{a: " + json5 + "}");
  if (!read.fault.empty()) return "fault: " + read.fault;
  REQUIRE(read.members.size() == 1);
  CHECK(read.members.front().first == "a");
  return read.members.front().second;
}

bool is_refused(const std::string& json5) {
  return !read_json5_object("{a: " + json5 + "}").fault.empty();
}

TEST_CASE("JSON is read as it is", "[stores][R272]") {
  for (const char* json :
       {"1", "-2.5e+10", "\"x\"", "true", "null", "[]", "{}", "[1,2]", "{\"b\":[{\"c\":\"d\"}]}"}) {
    CHECK(value_of(json) == json);
  }
}

TEST_CASE("what JSON5 adds becomes JSON", "[stores][R272]") {
  CHECK(value_of("'it\\'s \"so\"'") == "\"it's \\\"so\\\"\"");
  CHECK(value_of("[1, 2,]") == "[1,2]");
  CHECK(value_of("{b: 1, $c_2: 2,}") == "{\"b\":1,\"$c_2\":2}");
  CHECK(value_of("+1") == "1");
  CHECK(value_of(".5") == "0.5");
  CHECK(value_of("5.") == "5");
  CHECK(value_of("-.5e3") == "-0.5e3");
  CHECK(value_of("0xFF") == "255");
  CHECK(value_of("-0x10") == "-16");
  CHECK(value_of("Infinity") == "null");
  CHECK(value_of("-Infinity") == "null");
  CHECK(value_of("NaN") == "null");
  CHECK(value_of("// one\n 1 /* two */") == "1");
  CHECK(value_of("'a\\\nb'") == "\"ab\"");
  CHECK(value_of("'a\\\r\nb'") == "\"ab\"");
  CHECK(value_of("'\\x41\\u0042\\v\\0'") == "\"AB\\u000b\\u0000\"");
  CHECK(value_of("'\\ud83d\\ude00'") == "\"\xF0\x9F\x98\x80\"");
  CHECK(value_of("'\\ud83d'") == "\"\xEF\xBF\xBD\"");
  CHECK(value_of("'\\q'") == "\"q\"");
  CHECK(value_of("\xC2\xA0\xE2\x80\xA8 1") == "1");
  CHECK(value_of("{größe: 1, \\u0061b: 2}") == "{\"größe\":1,\"ab\":2}");
}

TEST_CASE("what is no JSON5 is refused", "[stores]") {
  for (const char* text : {"", "01", "1 2", "'a\nb'", "'a", "[1", "{b 1}", "{1: 2}", "[,]", "nul",
                           "0x", "1e", "'\\1'", "'\\x4'", "'\\u12'", "--1", "{b: 1,, c: 2}"}) {
    INFO(text);
    CHECK(is_refused(text));
  }
  CHECK(is_refused(std::string(100'000, '[')));
}

TEST_CASE("a damaged index is read as far as it goes", "[stores][R252]") {
  const std::string whole = "{\n 'agent:main:main': {sessionId: 'a'},\n 'b': {sessionId: 'c'},\n}";
  const Json5Members all = read_json5_object(whole);
  CHECK(all.fault.empty());
  CHECK(all.members.size() == 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Json5Members cut = read_json5_object(whole.substr(0, size));
    CHECK(!cut.fault.empty());
    CHECK(cut.members.size() <= 2);
    CHECK(cut.read_bytes <= size);
    for (const auto& member : cut.members) {
      const auto is_same = [&](const auto& other) { return other == member; };
      CHECK(std::any_of(all.members.begin(), all.members.end(), is_same));
    }
  }
  const Json5Members broken = read_json5_object("{a: 1,\nb: oops}");
  CHECK(broken.members.size() == 1);
  CHECK(broken.line == 2);
  CHECK(read_json5_object("{a: 1} x").members.size() == 1);
}

}  // namespace
}  // namespace workers
