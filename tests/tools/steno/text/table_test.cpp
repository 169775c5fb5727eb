// Tables fit the terminal that shows them.
#include "tools/steno/text/table.hpp"

#include "tests/support/catch.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

Table sessions() {
  Table table({{"NAME", Align::left, 40},
               {"STATUS"},
               {"TURNS", Align::right},
               {"ENGINE", Align::left, 60, true},
               {"WORKDIR", Align::left, 48, true}});
  table.add({"fix-the-login-of-the-admin-page", "running", "3", "claude", "/srv/project"});
  return table;
}

TEST_CASE("a table has its whole width where nobody counts columns", "[tools]") {
  CHECK(sessions().text() ==
        "NAME                             STATUS   TURNS  ENGINE  WORKDIR\n"
        "fix-the-login-of-the-admin-page  running      3  claude  /srv/project\n");
}

TEST_CASE("a narrow table leaves columns out, then cuts the widest one", "[tools]") {
  CHECK(sessions().text(58) ==
        "NAME                             STATUS   TURNS  ENGINE\n"
        "fix-the-login-of-the-admin-page  running      3  claude\n");
  CHECK(sessions().text(30) ==
        "NAME            STATUS   TURNS\n"
        "fix-the-login…  running      3\n");
  // No column is cut to nothing.
  CHECK(sessions().text(1).find("fix-the…") != std::string::npos);
}

TEST_CASE("a colour is around its cell alone", "[tools]") {
  Table table = sessions();
  table.color(1, 32);
  CHECK(table.text(30) ==
        "NAME            STATUS   TURNS\n"
        "fix-the-login…  \x1b[32mrunning\x1b[0m      3\n");
}

TEST_CASE("fields stand in groups, and an empty group is left out", "[tools]") {
  Fields fields;
  fields.begin("WHAT");
  fields.add("name", "nightly");
  fields.add("agent", "");
  fields.begin("NOTHING");
  fields.begin("MONEY");
  fields.add("budget", "$5\x1b[2J");
  CHECK(fields.text() == "WHAT\nname    nightly\n\nMONEY\nbudget  $5\\x1b[2J\n");
  CHECK(fields.text(true).starts_with("\x1b[1mWHAT\x1b[22m\n"));
}

TEST_CASE("a list's times are short for people, and whole for programs", "[tools]") {
  const Time noon{1'764'504'000'000'000};  // 2025-11-30T12:00:00Z
  CHECK(list_time_text(noon, noon, false) == "2025-11-30T12:00:00Z");
  CHECK(list_time_text(noon, noon, true).size() == 5);
  const Time month_later{noon.us + std::int64_t{31} * 24 * 3600 * 1'000'000};
  CHECK(list_time_text(noon, month_later, true).starts_with("Nov 30"));
  const Time year_later{noon.us + std::int64_t{366} * 24 * 3600 * 1'000'000};
  CHECK(list_time_text(noon, year_later, true) == "2025-11-30");
}

}  // namespace
}  // namespace steno
