// Files of inputs: what is packed is read, and every damage to the frame is an error.
#include "tests/fuzz/inputs.hpp"

#include "tests/support/catch.hpp"

namespace {

using fuzz::unpack_inputs;

const std::string kTwo = "2 inputs\n3\na\nb\n0 regression-empty\n\n";

TEST_CASE("the inputs of a file are read with their names", "[fuzz]") {
  const auto all = unpack_inputs(kTwo);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK(all->front().name.empty());
  CHECK(all->front().bytes == "a\nb");
  CHECK(all->back().name == "regression-empty");
  CHECK(all->back().bytes.empty());
}

TEST_CASE("a file of inputs that is cut or damaged is an error", "[fuzz]") {
  for (std::size_t size = 0; size < kTwo.size(); ++size)
    CHECK_FALSE(unpack_inputs(kTwo.substr(0, size)));
  for (const char* text :
       {"0 inputs\n", "inputs\n", "-1 inputs\n1\na\n", "1 inputs\n2\na\n", "1 inputs\n1\na\n1\nb\n",
        "1 inputs\n1x\na\n", "1 inputs\n1 \na\n", "1 inputs\n-1\na\n",
        "1 inputs\n18446744073709551615\na\n", "1 inputs\n18446744073709551616\na\n"}) {
    INFO(text);
    CHECK_FALSE(unpack_inputs(text));
  }
  CHECK(unpack_inputs("3 inputs\n1\na\n1\nbc").error().text == "input 2 of 3 is damaged");
}

TEST_CASE("a missing file of inputs is an error that names it", "[fuzz]") {
  const auto none = fuzz::read_inputs("/no/such/file");
  REQUIRE_FALSE(none);
  CHECK(none.error().where == "/no/such/file");
}

}  // namespace
