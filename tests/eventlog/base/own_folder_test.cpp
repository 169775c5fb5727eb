// A folder of our own is made for our user alone; a folder that others can use is refused
// untouched.
#include "eventlog/base/own_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using base::ErrorCode;
using base::make_own_folder;
using Catch::Contains;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE("a folder of our own is made with those above it, for us alone", "[base]") {
  const support::TempFolder folder;
  REQUIRE(make_own_folder(folder.file("a/b/c")));
  for (const std::string name : {"a", "a/b", "a/b/c"}) CHECK(mode_of(folder.file(name)) == 0700);
  CHECK(make_own_folder(folder.file("a/b/c")));
}

TEST_CASE("a folder that others use is refused and left as it is", "[base]") {
  const support::TempFolder folder;
  const std::string path = folder.file("shared");
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  SECTION("one that is open to them") {
    const mode_t mode = GENERATE(mode_t{0755}, mode_t{0750}, mode_t{01777});
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    const auto refused = make_own_folder(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK_THAT(refused.error().text, Contains(mode == 01777 ? "1777" : "075"));
    CHECK(mode_of(path) == mode);
  }
  SECTION("another user's") {
    if (::chown(path.c_str(), 12345, 12345) != 0) return;  // needs root
    const auto refused = make_own_folder(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK_THAT(refused.error().text, Contains("12345"));
    CHECK(mode_of(path) == 0700);
  }
  SECTION("no folder at all") {
    std::ofstream(path + "/file") << "words";
    CHECK(make_own_folder(path + "/file").error().code == ErrorCode::invalid);
  }
}

TEST_CASE("folders are made with their parents, whoever can use those that are there", "[base]") {
  const support::TempFolder folder;
  const std::string path = folder.file("a/b");
  CHECK(base::make_folders(path));
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
  CHECK(base::make_folders(path));
  std::ofstream(path + "/file") << "x";
  CHECK(!base::make_folders(path + "/file/c"));
}

}  // namespace
