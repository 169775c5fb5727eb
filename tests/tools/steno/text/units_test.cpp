// Amounts, durations and times are read exactly, and shown in a form that can be read again.
#include "tools/steno/text/units.hpp"

#include "tests/support/catch.hpp"
#include "tools/steno/config/command_words.hpp"

namespace {

using base::Duration;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using base::NanoUsd;
using base::parse_usd;
using steno::parse_duration;

TEST_CASE("amounts of money are read exactly", "[tools]") {
  CHECK(parse_usd("5") == NanoUsd{5'000'000'000});
  CHECK(parse_usd("0.25") == NanoUsd{250'000'000});
  CHECK(parse_usd("0.000000001") == NanoUsd{1});
  CHECK(parse_usd("9000000") == NanoUsd{9'000'000'000'000'000});
  for (const char* wrong :
       {"", "-1", "+1", "1.", ".5", "1e3", "1,5", "0.0000000001", "9000001", "$5", "1.-5", " 1"}) {
    INFO(wrong);
    CHECK_FALSE(parse_usd(wrong));
  }
}

TEST_CASE("costs have four decimals, rounded half up", "[tools]") {
  using base::usd_text;
  CHECK(usd_text({0}) == "0.0000");
  CHECK(usd_text({12'345'678}) == "0.0123");
  CHECK(usd_text({12'350'000}) == "0.0124");
  CHECK(usd_text({12'349'999}) == "0.0123");
  CHECK(usd_text({1'999'950'000}) == "2.0000");
  CHECK(usd_text({-1'500'000'000}) == "-1.5000");
  CHECK(usd_text({-1}) == "0.0000");
}

TEST_CASE("exact amounts have as many decimals as they need", "[tools]") {
  using base::exact_usd_text;
  CHECK(exact_usd_text({5'000'000'000}) == "5");
  CHECK(exact_usd_text({250'000'000}) == "0.25");
  CHECK(exact_usd_text({1}) == "0.000000001");
  CHECK(exact_usd_text({-2'500'000'000}) == "-2.5");
}

TEST_CASE("durations are read with their unit", "[tools]") {
  CHECK(parse_duration("500ms") == Duration(500ms));
  CHECK(parse_duration("30s") == Duration(30s));
  CHECK(parse_duration("5m") == Duration(5min));
  CHECK(parse_duration("2h") == Duration(2h));
  CHECK(parse_duration("90d") == Duration(90 * 24h));
  CHECK(parse_duration("7us") == Duration(7us));
  for (const char* wrong :
       {"", "s", "30", "0", "-5s", "5 s", "5w", "1.5s", "99999999999999999999s", "9000h", "400d"}) {
    INFO(wrong);
    CHECK_FALSE(parse_duration(wrong));
  }
}

TEST_CASE("an exact duration is read back as the same", "[tools]") {
  for (const Duration duration : {Duration(90s), Duration(5min), Duration(1500ms), Duration(7us),
                                  Duration(2h), Duration(0s), Duration(3601s)}) {
    CHECK(parse_duration(steno::exact_duration_text(duration)) == duration);
  }
  CHECK(steno::exact_duration_text(90s) == "90s");
  CHECK(steno::exact_duration_text(5min) == "5m");
  CHECK(steno::exact_duration_text(48h) == "2d");
}

TEST_CASE("durations are shown as minutes and seconds, without hours", "[tools]") {
  using steno::duration_text;
  CHECK(duration_text(0s) == "0s");
  CHECK(duration_text(59'999ms) == "59s");
  CHECK(duration_text(60s) == "1m0s");
  CHECK(duration_text(200s) == "3m20s");
  CHECK(duration_text(2h + 5s) == "120m5s");
  CHECK(duration_text(-5s) == "0s");
}

TEST_CASE("times are shown in UTC", "[tools]") {
  CHECK(base::time_text({0}) == "1970-01-01T00:00:00.000000Z");
  CHECK(base::time_text({1'795'190'400'000'001}) == "2026-11-20T16:00:00.000001Z");
  CHECK(steno::short_time_text({1'795'190'400'000'001}) == "2026-11-20T16:00:00Z");
}

TEST_CASE("a program's words are taken apart as a shell would", "[tools]") {
  using Words = std::vector<std::string>;
  CHECK(steno::split_words("claude") == Words{"claude"});
  CHECK(steno::split_words("  a  'b c' \"d e\" f\\ g ") == Words{"a", "b c", "d e", "f g"});
  CHECK(steno::split_words("a'b'\"c\"") == Words{"abc"});
  CHECK(steno::split_words("''") == Words{""});
  CHECK(steno::split_words("") == Words{});
  CHECK_FALSE(steno::split_words("'open"));
  CHECK_FALSE(steno::split_words("end\\"));
  for (const Words& words : {Words{"a"}, Words{"a b", "c\"d", "e\\f", "", "g'h"}}) {
    CHECK(steno::split_words(steno::join_words(words)) == words);
  }
}

TEST_CASE("a word is quoted as a shell needs it", "[tools]") {
  CHECK(steno::shell_word("/home/ann/a-b_c.d") == "/home/ann/a-b_c.d");
  CHECK(steno::shell_word("") == "''");
  CHECK(steno::shell_word("it's") == R"('it'\''s')");
  for (const char* word : {"a;b", "a&b", "a|b", "a b", "$a", "`a`", "a\nb", "~", "*", "#a"}) {
    CHECK(steno::shell_word(word) == "'" + std::string(word) + "'");
  }
}

}  // namespace
