// A file is read to its end or refused: half of one would be taken for all of it.
#include "tools/steno/config/whole_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using base::ErrorCode;
using steno::read_whole_file;

constexpr std::size_t kMost = std::size_t{1} << 20;

ErrorCode refusal(const std::string& path) {
  const auto file = read_whole_file(path, kMost);
  REQUIRE_FALSE(file);
  return file.error().code;
}

TEST_CASE("a whole file comes with its owner and its permissions", "[tools]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("a");
  const std::string bytes = std::string(200'000, 'x') + std::string(1, '\0') + "end";
  std::ofstream(path, std::ios::binary) << bytes;
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  const auto file = read_whole_file(path, kMost);
  REQUIRE(file);
  CHECK(file->bytes == bytes);
  CHECK(file->owner == ::geteuid());
  CHECK(file->mode == 0640);
}

TEST_CASE("what cannot be read to its end is no file", "[tools]") {
  const support::TemporaryFolder folder;
  CHECK(refusal(folder.file("missing")) == ErrorCode::not_found);
  CHECK(refusal(folder.path()) == ErrorCode::io);
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal(pipe) == ErrorCode::io);
  CHECK(refusal("/proc/self/mem") == ErrorCode::io);  // it opens, and its first byte is an error
  const std::string long_one = folder.file("long");
  std::ofstream(long_one, std::ios::binary) << std::string(kMost, 'x');
  CHECK(read_whole_file(long_one, kMost).has_value());
  std::ofstream(long_one, std::ios::binary | std::ios::app) << 'x';
  CHECK(refusal(long_one) == ErrorCode::too_large);
}

}  // namespace
