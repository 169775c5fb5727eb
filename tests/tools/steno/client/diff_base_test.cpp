// Where HEAD was is read from git's reflog, and what has changed from its listing.
#include "tools/steno/client/diff_base.hpp"

#include "tests/support/catch.hpp"

namespace steno {
namespace {

TEST_CASE("HEAD was where it was moved to last", "[tools]") {
  constexpr std::string_view kReflog =
      "ccc HEAD@{300}\nbbb HEAD@{200}\nnonsense\nxxx HEAD@{soon}\naaa HEAD@{100}";
  CHECK(head_at(kReflog, 400) == "ccc");
  CHECK(head_at(kReflog, 300) == "ccc");
  CHECK(head_at(kReflog, 299) == "bbb");
  CHECK(head_at(kReflog, 100) == "aaa");
  CHECK_FALSE(head_at(kReflog, 99));
  CHECK_FALSE(head_at({}, 400));
}

TEST_CASE("each file that differs has its lines", "[tools]") {
  constexpr char kListing[] =
      ":100644 100644 1111111 0000000 M\0a b.txt\0"
      ":000000 100644 0000000 0000000 A\0pic.png\0"
      ":100644 000000 2222222 0000000 D\0:odd\tname\0"
      "3\t1\ta b.txt\0-\t-\tpic.png\0"
      "0\t7\t:odd\tname\0";
  const auto files = diff_files(std::string_view(kListing, sizeof(kListing) - 1));
  CHECK(files == std::vector<DiffFile>{
                     {"a b.txt", "M", 3, 1}, {"pic.png", "A", -1, -1}, {":odd\tname", "D", 0, 7}});
  CHECK(diff_files({}).empty());
  CHECK(diff_files(std::string_view("4\t4\tunknown\0:cut", 16)).empty());
}

}  // namespace
}  // namespace steno
