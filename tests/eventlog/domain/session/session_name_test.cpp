// Names made from prompts, and the rules for given ones: neither can be taken for an id or an
// alias.
#include "eventlog/domain/session/session_name.hpp"

#include <algorithm>
#include <set>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

TEST_CASE("a prompt's first three telling words make a name", "[session][R027]") {
  CHECK(name_from_prompt("Fix the login bug in auth") == "fix-login-bug");
  CHECK(name_from_prompt("Please could you write TESTS?") == "tests");
  CHECK(name_from_prompt("refactor/parser.module, now!") == "refactor-parser-module");
  CHECK(name_from_prompt("") == "session");
  CHECK(name_from_prompt("the and of") == "session");
  CHECK(name_from_prompt("supercalifragilisticexpialidocious") == "supercalifragilisticexpi");
  CHECK(name_from_prompt("--- -a- --help--") == "help");
}

TEST_CASE("a name from a prompt keeps the letters of all scripts", "[session][R027]") {
  CHECK(name_from_prompt("Grüße AN alle") == "grüße-alle");
  CHECK(name_from_prompt("修复登录页面的错误") == "修复登录页面的错");
  CHECK(name_from_prompt("ログインのバグを直して") == "ログインのバグを");
  CHECK(name_from_prompt("Исправь ошибку входа!") == "исправь-ошибку-входа");
  CHECK(name_from_prompt("أصلح خطأ تسجيل الدخول") == "أصلح-خطأ-تسجيل");
  CHECK(name_from_prompt("Corrige l’été naïve résumé") == "corrige-été-naïve");
  CHECK(name_from_prompt("Überprüfe „die“ Ölpreise…") == "überprüfe-die-ölpreise");
  CHECK(name_from_prompt("🚀🚀 「！？」 — fertig") == "fertig");
  CHECK(name_from_prompt("e\xCC\x81te\xCC\x81 été") == "e\xCC\x81te\xCC\x81-été");
}

TEST_CASE("a name that an earlier release made is found again", "[session]") {
  CHECK(made_name("réparer le test", name_mark("parer-le-test-2"), 2) == "parer-le-test-2");
  CHECK(made_name("réparer le test", name_mark("réparer-le-test"), 1) == "réparer-le-test");
  CHECK_FALSE(made_name("réparer le test", name_mark("other"), 1));
}

TEST_CASE("a name from a prompt is short and of plain characters", "[session]") {
  base::SeededRandom random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string prompt(random.below(200), ' ');
    for (char& c : prompt) c = static_cast<char>(random.next());
    const std::string name = name_from_prompt(prompt);
    INFO("seed 11, round " << round);
    REQUIRE_FALSE(name.empty());
    REQUIRE(name.size() <= 3 * 24 + 2);
    REQUIRE(base::is_utf8(name));
    const bool is_text = base::is_utf8(prompt);
    if (is_text) continue;
    REQUIRE(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
  }
}

std::string unique_beside(const std::string& words, const std::set<std::string>& taken) {
  return numbered_name(
      words, free_number(words, [&](const std::string& name) { return taken.contains(name); }));
}

TEST_CASE("only the beginning of a prompt is looked at for a name", "[session]") {
  CHECK(name_from_prompt(std::string(1 << 20, 'a')) == std::string(24, 'a'));
  CHECK(name_from_prompt(std::string(1 << 20, ' ').append("late")) == "session");
}

TEST_CASE("a taken name gets the first free number", "[session]") {
  CHECK(unique_beside("a", {}) == "a");
  CHECK(unique_beside("a", {"a"}) == "a-2");
  CHECK(unique_beside("a", {"a", "a-2", "a-4"}) == "a-3");
}

TEST_CASE("a number is found in a few steps among many sessions of one name", "[session]") {
  std::set<std::string> taken;
  for (std::int64_t number = 1; number <= 10'000; ++number) {
    int looks = 0;
    const std::int64_t found = free_number("a", [&](const std::string& name) {
      ++looks;
      return taken.contains(name);
    });
    REQUIRE(looks <= 16 + 2 * 14);
    REQUIRE(found == number);
    taken.insert(numbered_name("a", number));
  }
  // A gap may stay unused, but what is found is free.
  taken.erase("a-300");
  CHECK(unique_beside("a", taken) == "a-10001");
  taken.erase("a-3");
  CHECK(unique_beside("a", taken) == "a-3");
}

TEST_CASE("a number is found beside names that were given", "[session]") {
  std::set<std::string> taken;
  for (std::int64_t number = 1; number <= kNameNumbersInTurn; ++number) {
    taken.insert(numbered_name("a", number));
  }
  for (std::int64_t number = 32; number <= kNameNumberMax; number *= 2) {
    taken.insert(numbered_name("a", number));
  }
  CHECK(unique_beside("a", taken) == "a-17");
}

TEST_CASE("a name that is made is never taken for an alias", "[session]") {
  CHECK(name_from_prompt("the database") == "database");
  CHECK(unique_beside("database", {}) == "database-2");
}

TEST_CASE("a name that was made is found again by its prompt and its mark", "[session]") {
  const std::string prompt = "Fix the login bug in auth";
  CHECK(made_name(prompt, name_mark("fix-login-bug"), 0) == "fix-login-bug");
  CHECK(made_name(prompt, name_mark("fix-login-bug-17"), 0) == "fix-login-bug-17");
  CHECK(made_name(prompt, name_mark("fix-login-bug-17"), 17) == "fix-login-bug-17");
  CHECK_FALSE(made_name(prompt, name_mark("fix-login-bug-17"), 16));
  CHECK_FALSE(made_name(prompt, -1, 0));
}

TEST_CASE("a name that can be given is one line of visible text", "[session]") {
  for (const std::string name : {"fix-bug", "Fix the bug", "grüße", "日本", "x", "test", "a1b2c3d",
                                 "a1b2c3d4e", "cafe-123"}) {
    INFO(name);
    CHECK_FALSE(name_fault(name));
  }
  for (const std::string name : {" ", "\t", "   ", " a", "a ", "a\tb", "a\nb", "a\x1b[31mb",
                                 "a\x7f", "a\xc2\x85", "\xc2\xa0", "\xe3\x80\x80", "\xe2\x80\x8b",
                                 "a\xe2\x80\xae"
                                 "b",
                                 "a\xff", "\xc0\x80"}) {
    INFO(name);
    const auto fault = name_fault(name);
    REQUIRE(fault);
    CHECK(fault->starts_with("a session's name"));
  }
  CHECK(name_fault(std::string("a\0b", 3)));
  CHECK_FALSE(name_fault(std::string(kNameBytesMax, 'n')));
  CHECK(name_fault(std::string(kNameBytesMax + 1, 'n')));
}

std::string utf8(char32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

// Code points from the first to the last, both included.
using CodePoints = std::vector<std::pair<char32_t, char32_t>>;

bool is_among(const CodePoints& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return range.first <= c && c <= range.second; });
}

TEST_CASE("no name holds a control character, nor begins or ends with a blank", "[session]") {
  const CodePoints controls{{0, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x202E}, {0x2066, 0x2069}};
  const CodePoints blanks{{0x20, 0x20},     {0xA0, 0xA0},     {0xAD, 0xAD},
                          {0x1680, 0x1680}, {0x2000, 0x200F}, {0x202F, 0x202F},
                          {0x205F, 0x2065}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  for (char32_t c = 0; c < 0x10000; ++c) {
    if (c > 0x3100 && c < 0xFE00) continue;  // far from all of these, and some are no characters
    const std::string text = utf8(c);
    CAPTURE(static_cast<std::uint32_t>(c));
    const bool is_control = is_among(controls, c);
    REQUIRE(name_fault("a" + text + "b").has_value() == is_control);
    const bool is_refused = is_control || is_among(blanks, c);
    // References such as @foreground begin with it.
    REQUIRE(name_fault(text + "b").has_value() == (is_refused || c == U'@'));
    REQUIRE(name_fault("a" + text).has_value() == is_refused);
  }
  for (const char32_t c : {0x1F41Bu, 0xFFFFFu, 0x10FFFFu}) CHECK_FALSE(name_fault(utf8(c)));
}

TEST_CASE("a name that is made of a prompt keeps letters, digits and dashes within words",
          "[session]") {
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    CAPTURE(byte);
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_kept = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    const char shown = is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    const std::string name = name_from_prompt(std::string("xq") + c + "qx");
    CHECK(name == (is_kept ? std::string("xq") + shown + "qx" : "xq-qx"));
  }
  CHECK(name_from_prompt("one1 two2 three3 four4") == "one1-two2-three3");
  CHECK(name_from_prompt("one1 two2 three3") == "one1-two2-three3");
  CHECK(name_from_prompt("-xq- -qx-") == "xq-qx");
  CHECK(name_from_prompt("x you your q7") == "q7");
  const std::string longest(24, 'w');
  CHECK(name_from_prompt(longest + "x " + longest) == longest + "-" + longest);
  CHECK(name_from_prompt(std::string(4094, ' ') + "late") == "la");
}

TEST_CASE("the first number of a name is 1, which is not shown", "[session]") {
  CHECK(numbered_name("a", 1) == "a");
  CHECK(numbered_name("a", 2) == "a-2");
}

TEST_CASE("a name that would be taken for an id or an alias cannot be given", "[session]") {
  const auto id = support::numbered<SessionId>(1);
  CHECK(name_fault(id.text()));
  CHECK(name_fault(base::to_hex(id.view())));
  CHECK(name_fault(alias_of(id, 7)));
  CHECK_FALSE(name_fault(alias_of(id, 7).substr(1)));
}

}  // namespace
}  // namespace domain
