// Text for a terminal: nothing in it is obeyed, columns are counted as a terminal shows them.
#include "workers/text/terminal_text.hpp"

#include "tests/support/catch.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/text/tool_summary.hpp"

namespace {

using workers::columns_of;
using workers::cut_to_columns;
using workers::safe_line;
using workers::safe_text;
using workers::tool_line;

TEST_CASE("escape sequences reach no terminal", "[tools]") {
  CHECK(safe_text("a\x1b[31mred\x1b[0m") == "a\\x1b[31mred\\x1b[0m");
  CHECK(safe_text("\x1b]0;title\x07") == "\\x1b]0;title\\x07");
  CHECK(safe_text("over\rwritten") == "over\\rwritten");
  CHECK(safe_text("\x7f\x08") == "\\x7f\\x08");
  CHECK(safe_text("\xc2\x9b"
                  "31m") == "\\u009b31m");  // the one-character form of ESC and [
  CHECK(safe_text("\xe2\x80\xae"
                  "evil") == "\\u202eevil");  // right-to-left override
  CHECK(safe_text(std::string_view("\0", 1)) == "\\x00");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one", "[tools]") {
  CHECK(safe_text("\xff\xc3(") == "\\xff\\xc3(");
  CHECK(safe_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(safe_text("\xe2\x82") == "\\xe2\\x82");           // cut short
  CHECK(safe_text("\xc0\xaf") == "\\xc0\\xaf");           // overlong
}

TEST_CASE("ordinary text stays as it is", "[tools]") {
  const std::string text = "Grüße, 世界 🔧\n\tindented";
  CHECK(safe_text(text) == text);
  CHECK(safe_line(text) == "Grüße, 世界 🔧  indented");
}

TEST_CASE("text is cut by columns, with an ellipsis", "[tools]") {
  CHECK(columns_of("abc") == 3);
  CHECK(columns_of("世界") == 4);
  CHECK(columns_of("e\xcc\x81") == 1);  // a combining accent
  CHECK(cut_to_columns("abcdef", 6) == "abcdef");
  CHECK(cut_to_columns("abcdefg", 6) == "abcde…");
  CHECK(cut_to_columns("世界世界", 5) == "世界…");
  CHECK(cut_to_columns("世界世界", 4) == "世…");
  CHECK(cut_to_columns("abc", 0).empty());
}

TEST_CASE("a table aligns its columns and makes cells safe", "[tools]") {
  steno::Table table({{"NAME"}, {"COST", steno::Align::right}, {"NOTE", steno::Align::left, 6}});
  table.add({"a", "1.5", "short"});
  table.add({"世界", "12.25", "much too long"});
  table.add({"\x1b[2J", "", ""});
  CHECK(table.text() ==
        "NAME      COST  NOTE\n"
        "a          1.5  short\n"
        "世界     12.25  much …\n"
        "\\x1b[2J\n");
}

TEST_CASE("a tool call is one line that says what it is about", "[tools][R078]") {
  using workers::tool_line;
  CHECK(tool_line("Bash", R"({"command":"cargo test","description":"run"})") ==
        "🔧 Bash — cargo test");
  CHECK(tool_line("Read", R"({"file_path":"/a/b.c"})") == "🔧 Read — /a/b.c");
  CHECK(tool_line("Grep", R"({"pattern":"a.*b","path":"/src"})") == "🔧 Grep — /src");
  CHECK(tool_line("Todo", R"({"todos":[]})") == "🔧 Todo");
  CHECK(tool_line("Odd", "not json") == "🔧 Odd");
  CHECK(tool_line("Odd", R"({"command":5})") == "🔧 Odd");
  CHECK(tool_line("Bash", R"({"command":"a\nb\u001b[31m"})") == "🔧 Bash — a b\\x1b[31m");
  const std::string command(100, 'x');
  CHECK(tool_line("Bash", "{\"command\":\"" + command + "\"}") ==
        "🔧 Bash — " + std::string(79, 'x') + "…");
  CHECK(tool_line("Read", "{\"path\":\"" + command + "\"}") ==
        "🔧 Read — " + std::string(59, 'x') + "…");
}

}  // namespace
