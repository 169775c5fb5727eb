// Texts are searched as they were said, whatever bytes they have; what is shown of them is short.
#include "projections/content/said_text.hpp"

#include "eventlog/base/bytes.hpp"
#include "projections/content/snippet.hpp"
#include "tests/support/catch.hpp"

namespace projections {
namespace {

TEST_CASE("escapes of JSON do not hide words", "[projections]") {
  CHECK(said_text(R"({"command":"ls\nmake \"all\"\t\\x"})", true) ==
        "{\"command\":\"ls make \"all\" \\x\"}");
  CHECK(said_text(R"(["\u00e9t\u00c9 \ud83d\ude00 \ud83d \ude00 \u12"])", true) ==
        "[\"étÉ 😀 \xEF\xBF\xBD \xEF\xBF\xBD  12\"]");
  CHECK(said_text(R"({"a":"\)", true) == "{\"a\":\"\\");
  CHECK(said_text(R"({"a":"\ud83d\u)", true) == "{\"a\":\"\xEF\xBF\xBD ");
  CHECK(said_text(R"({"a":"\é"})", true) == "{\"a\":\"\\é\"}");
  // A text that is not JSON stays as it is.
  CHECK(said_text("C:\\new", true) == "C:\\new");
  CHECK(said_text("[INFO] C:\\new", true) == "[INFO] C:\\new");
  CHECK(said_text("{\"a\":\"\\n\"}", false) == "{\"a\":\"\\n\"}");
}

TEST_CASE("whatever bytes a text has, UTF-8 without marks is searched", "[projections]") {
  CHECK(said_text(std::string_view("a\0b\x01"
                                   "c\x02"
                                   "d",
                                   7),
                  false) == "a b c d");
  CHECK(said_text("a\xFFz\xC3", false) == "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  std::string wide;
  for (std::size_t i = 0; i < kSaidBytesMax; ++i) wide += "é";
  const std::string cut = said_text("x" + wide, false);
  CHECK(cut.size() <= kSaidBytesMax);
  CHECK(cut.size() > kSaidBytesMax - 4);
  CHECK(base::is_utf8(cut));
  CHECK(said_text(std::string(kSaidBytesMax * 2, '\x80'), false).size() <= 3 * kSaidBytesMax);
}

TEST_CASE("a snippet says where its matches are", "[projections]") {
  CHECK(make_snippet("a \x01"
                     "fix\x02 b") == Snippet{"a fix b", {2, 5}});
  CHECK(make_snippet("nothing") == Snippet{"nothing", {}});
  CHECK(make_snippet("\x01"
                     "a\x02\x01"
                     "b") == Snippet{"ab", {0, 1, 1, 2}});
  CHECK(make_snippet("\x02"
                     "a\x01"
                     "b\x01"
                     "c\x02") == Snippet{"abc", {1, 3}});
}

TEST_CASE("a long snippet is cut around its first match", "[projections]") {
  std::string wide;
  for (int i = 0; i < 3000; ++i) wide += "é";
  for (const std::string& before : {std::string(), std::string("x"), wide}) {
    const Snippet snippet = make_snippet(before + "\x01" + wide + "\x02 \x01rest\x02");
    CHECK(base::is_utf8(snippet.text));
    CHECK(snippet.text.size() <= kSnippetBytesMax + 2 * std::string("…").size());
    REQUIRE(snippet.marks.size() == 2);
    CHECK(snippet.marks[0] < snippet.marks[1]);
    CHECK(snippet.marks[1] <= static_cast<std::int64_t>(snippet.text.size()));
    CHECK(snippet.text.substr(static_cast<std::size_t>(snippet.marks[0]), 2) == "é");
    CHECK(snippet.text.starts_with("…") == (before == wide));
    CHECK(snippet.text.ends_with("…"));
  }
}

}  // namespace
}  // namespace projections
