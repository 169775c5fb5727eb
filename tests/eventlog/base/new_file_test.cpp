// A file is put in its place whole, or not at all.
#include "eventlog/base/new_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using base::NewFile;
using base::OldFile;

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

base::Result<bool> put(const std::string& path, const std::string& text, OldFile old) {
  auto file = NewFile::open(path, old);
  if (!file) return tl::unexpected(file.error());
  REQUIRE(file->write(text));
  return file->finish();
}

TEST_CASE("a file that is not finished leaves nothing", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.path() + "/f";
  {
    auto file = NewFile::open(path, OldFile::kept);
    REQUIRE(file);
    REQUIRE(file->write("half"));
    CHECK(!std::filesystem::exists(path));
    CHECK(NewFile::open(path, OldFile::kept).error().code == base::ErrorCode::conflict);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file that is to be kept is not overwritten, also if it came meanwhile", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.path() + "/f";
  auto late = NewFile::open(path, OldFile::kept);
  REQUIRE(late);
  std::ofstream(path) << "mine";
  CHECK(late->finish().error().code == base::ErrorCode::conflict);
  CHECK(NewFile::open(path, OldFile::kept).error().code == base::ErrorCode::conflict);
  CHECK(text_of(path) == "mine");
}

TEST_CASE("a file is replaced if its bytes differ", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.path() + "/f";
  const std::string long_text(200'000, 'a');
  CHECK(put(path, long_text, OldFile::replaced).value());
  CHECK(!put(path, long_text, OldFile::replaced).value());
  CHECK(put(path, long_text + "b", OldFile::replaced).value());
  CHECK(put(path, "", OldFile::replaced).value());
  CHECK(!put(path, "", OldFile::replaced).value());
  CHECK(text_of(path).empty());
  const auto files = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

}  // namespace
