// One key of a file is changed, and every other byte stays.
#include "tools/steno/config/file_edit.hpp"

#include "tests/support/catch.hpp"

namespace {

using steno::KeyPath;

std::string set(const std::string& text, const KeyPath& key, const std::string& value) {
  const auto changed = steno::with_key(text, key, value, "steno.toml");
  return changed ? *changed : "refused: " + changed.error().text;
}

std::string unset(const std::string& text, const KeyPath& key) {
  const auto changed = steno::without_key(text, key, "steno.toml");
  if (!changed) return "refused: " + changed.error().text;
  return changed->value_or("not there");
}

constexpr const char* kFile =
    "# mine\n"
    "agent = \"ci\"   # who\n"
    "\n"
    "max_sessions=7\n"
    "# of an engine\n"
    "[engines.sandbox]  # own\n"
    "kind = \"claude\"\n"
    "environment = [\n"
    "  \"A=1\",  # first\n"
    "  \"B=ünï\",\n"
    "]\n"
    "\n"
    "[[hooks]]\n"
    "name = \"guard\"\n"
    "# the end\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("a key that is there keeps its place, and what stands beside it", "[tools]") {
  CHECK(set(kFile, {"agent"}, "\"x\"") == replaced(kFile, "\"ci\"", "\"x\""));
  CHECK(set(kFile, {"max_sessions"}, "20") == replaced(kFile, "=7", "=20"));
  CHECK(set(kFile, {"engines", "sandbox", "kind"}, "\"scripted\"") ==
        replaced(kFile, "\"claude\"", "\"scripted\""));
  CHECK(set(kFile, {"engines", "sandbox", "environment"}, "\"C=1\"") ==
        replaced(kFile, "[\n  \"A=1\",  # first\n  \"B=ünï\",\n]", "\"C=1\""));
  CHECK(set("\xef\xbb\xbf"
            "a = \"ü\" # ü\r\nb = 1",
            {"b"}, "2") ==
        "\xef\xbb\xbf"
        "a = \"ü\" # ü\r\nb = 2");
  CHECK(set("\xef\xbb\xbf"
            "a = \"ü\" # ü",
            {"a"}, "2") ==
        "\xef\xbb\xbf"
        "a = 2 # ü");
}

TEST_CASE("a new key comes behind the others of its table", "[tools]") {
  CHECK(set("", {"agent"}, "\"x\"") == "agent = \"x\"\n");
  CHECK(set("a = 1", {"b"}, "2") == "a = 1\nb = 2\n");
  CHECK(set("a = 1\r\n", {"b"}, "2") == "a = 1\r\nb = 2\r\n");
  CHECK(set(kFile, {"timeout"}, "\"5s\"") ==
        replaced(kFile, "max_sessions=7\n", "max_sessions=7\ntimeout = \"5s\"\n"));
  CHECK(set(kFile, {"engines", "sandbox", "home"}, "\"/h\"") ==
        replaced(kFile, "]\n\n[[hooks]]", "]\nhome = \"/h\"\n\n[[hooks]]"));
  CHECK(set("# first\n\n# of it\n[engines.a]\nkind = \"claude\"\n", {"agent"}, "\"x\"") ==
        "# first\n\nagent = \"x\"\n\n# of it\n[engines.a]\nkind = \"claude\"\n");
  CHECK(set("a = 1\n", {"conversations", "queue", "cap"}, "3") ==
        "a = 1\n\n[conversations.queue]\ncap = 3\n");
  CHECK(set("[conversations.queue]\ncap = 3\n", {"conversations", "zone"}, "\"UTC\"") ==
        "[conversations.queue]\ncap = 3\n\n[conversations]\nzone = \"UTC\"\n");
  CHECK(set("[conversations]\n[conversations.queue]\ncap = 3\n", {"conversations", "zone"},
            "\"UTC\"") == "[conversations]\nzone = \"UTC\"\n[conversations.queue]\ncap = 3\n");
  CHECK(set("engines.a.kind = \"claude\"\n[x]\n", {"engines", "a", "home"}, "\"/h\"") ==
        "engines.a.kind = \"claude\"\nengines.a.home = \"/h\"\n[x]\n");
}

TEST_CASE("a key is taken out with its line, and nothing else", "[tools]") {
  CHECK(unset(kFile, {"agent"}) == replaced(kFile, "agent = \"ci\"   # who\n", ""));
  CHECK(unset(kFile, {"engines", "sandbox", "environment"}) ==
        replaced(kFile, "environment = [\n  \"A=1\",  # first\n  \"B=ünï\",\n]\n", ""));
  CHECK(unset(kFile, {"timeout"}) == "not there");
  CHECK(unset(kFile, {"engines", "other", "kind"}) == "not there");
  CHECK(unset("engines.a.kind = \"claude\"\n", {"engines", "a", "kind"}).empty());
  CHECK(unset("a = \"\"\"x\nb = 1\n\"\"\"\nb = 2\n", {"b"}) == "a = \"\"\"x\nb = 1\n\"\"\"\n");
}

TEST_CASE("what only a person can change is refused", "[tools]") {
  const std::string inline_table = "engines = {a = {kind = \"claude\", home = \"/h\"}}\n";
  using Catch::StartsWith;
  CHECK(set(inline_table, {"engines", "a", "kind"}, "\"x\"") ==
        replaced(inline_table, "\"claude\"", "\"x\""));
  CHECK_THAT(set(inline_table, {"engines", "a", "pass"}, "\"x\""), StartsWith("refused: "));
  CHECK_THAT(unset(inline_table, {"engines", "a", "kind"}), StartsWith("refused: "));
  CHECK_THAT(set(kFile, {"hooks"}, "1"), StartsWith("refused: "));
  CHECK_THAT(set(kFile, {"hooks", "name"}, "1"), StartsWith("refused: "));
  CHECK_THAT(set(kFile, {"agent", "x"}, "1"), StartsWith("refused: "));
  CHECK_THAT(set("a = \n", {"b"}, "1"), StartsWith("refused: the configuration is not TOML"));
}

TEST_CASE("any text is a TOML string", "[tools]") {
  const std::string text = "a \"b\" \\ \t\n\x01\x7f ü 🔧 #";
  const std::string changed = set("", {"x"}, steno::toml_string(text));
  const auto read = steno::with_key(changed, {"y"}, steno::toml_string(text), "");
  REQUIRE(read);
  CHECK(steno::toml_string(text).find('\n') == std::string::npos);
  CHECK(changed.find("\\u0001") != std::string::npos);
}

}  // namespace
