// A line that is typed is edited by characters as a reader sees them.
#include "tools/steno/top/line_field.hpp"

#include "tests/support/catch.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

void type(LineField& field, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    field.press({KeyName::character, text.substr(at, end - at)});
    at = end;
  }
}

TEST_CASE("a typed line is erased by whole characters", "[tools]") {
  LineField field;
  type(field, "Grüße 世界👩‍🔧");
  field.press({KeyName::backspace});
  CHECK(field.text() == "Grüße 世界");
  field.press({KeyName::erase_word});
  CHECK(field.text() == "Grüße ");
  field.press({KeyName::home});
  field.press({KeyName::right});
  field.press({KeyName::backspace});
  type(field, "g");
  CHECK(field.text() == "grüße ");
  field.press({KeyName::end});
  field.press({KeyName::erase_line});
  CHECK(field.text().empty());
  CHECK(field.press({KeyName::backspace}));
  CHECK_FALSE(field.press({KeyName::up}));
}

TEST_CASE("a typed line shows the part with the cursor, and obeys nothing", "[tools]") {
  LineField field;
  type(field, "one two three");
  CHECK(field.shown(20).text == "one two three");
  CHECK(field.shown(20).cursor == 13);
  CHECK(field.shown(6).text == "three");
  CHECK(field.shown(6).cursor == 5);
  field.press({KeyName::home});
  CHECK(field.shown(6).text == "one t…");
  CHECK(field.shown(6).cursor == 0);
  CHECK(field.shown(0).text.empty());
  LineField hostile;
  type(hostile, "\x1b[2J世");
  CHECK(hostile.shown(80).text == "\\x1b[2J世");
  CHECK(hostile.shown(80).cursor == 9);
  for (std::size_t columns = 1; columns < 12; ++columns) {
    CHECK(workers::columns_of(hostile.shown(columns).text) <= columns);
    CHECK(hostile.shown(columns).cursor < columns);
  }
}

TEST_CASE("a line that is too long takes no more", "[tools]") {
  LineField field(std::string(kFieldBytesMax, 'x'));
  type(field, "y");
  CHECK(field.text().size() == kFieldBytesMax);
  CHECK(field.shown(10).text == "xxxxxxxxx");
}

TEST_CASE("a line is cut from the first dropped character until it is empty", "[tools]") {
  LineField field(std::string(kFieldBytesMax - 1, 'x'));
  type(field, "y");
  CHECK_FALSE(field.is_cut());
  type(field, "z");
  CHECK(field.is_cut());
  field.press({KeyName::backspace});
  CHECK(field.is_cut());
  field.press({KeyName::erase_line});
  CHECK_FALSE(field.is_cut());
  type(field, "again");
  CHECK_FALSE(field.is_cut());
  CHECK(field.text() == "again");
}

}  // namespace
}  // namespace steno
