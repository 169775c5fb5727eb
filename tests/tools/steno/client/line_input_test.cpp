// Lines from a descriptor, in whatever pieces they come; a line without end is cut.
#include "tools/steno/client/line_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "tests/support/catch.hpp"

namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() { REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    close_writer();
  }
  void write(const std::string& text) {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
};

TEST_CASE("lines are taken one by one, also when they come in pieces", "[tools]") {
  Pipe pipe;
  steno::LineInput input(pipe.ends[0]);
  CHECK_FALSE(input.take_line());
  pipe.write("one\ntw");
  input.fill();
  CHECK(input.take_line() == "one");
  CHECK_FALSE(input.take_line());
  pipe.write("o\n\nlast");
  pipe.close_writer();
  input.fill();
  CHECK(input.take_line() == "two");
  CHECK(input.take_line() == "");
  CHECK_FALSE(input.take_line());
  CHECK_FALSE(input.is_at_end());
  input.fill();
  CHECK(input.take_line() == "last");
  CHECK(input.is_at_end());
  CHECK_FALSE(input.take_line());
}

TEST_CASE("a line without end is cut into pieces", "[tools]") {
  const int fd = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  steno::LineInput input(fd);
  std::optional<std::string> line;
  while (!(line = input.take_line())) input.fill();
  CHECK(line->size() == steno::LineInput::kLineBytesMax);
  ::close(fd);
}

TEST_CASE("a descriptor that cannot be read is at its end", "[tools]") {
  steno::LineInput input(-1);
  input.fill();
  CHECK(input.is_at_end());
}

}  // namespace
