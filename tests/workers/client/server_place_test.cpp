// A place is believed only if it is whole, this user's, and written by the process that holds the
// lock.
#include "workers/client/server_place.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "eventlog/base/file_lock.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace workers {
namespace {

ServerPlace sample(std::int64_t pid) {
  ServerPlace place;
  place.pid = pid;
  place.phase = ServerPhase::serving;
  place.since = base::Time{1'700'000'000'000'000};
  place.stop_max = std::chrono::seconds(25);
  place.release = "1.2.3";
  place.run_folder = "/run/a folder/steno";
  place.log_file = "/run/a folder/steno/server.log";
  return place;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

TEST_CASE("a server's place is read as it was written", "[workers]") {
  const ServerPlace place = sample(412);
  CHECK(parse_server_place(encode(place)) == place);
  CHECK(parse_server_place("later 1\n" + encode(place)) == place);
}

TEST_CASE("a server's place that is cut short or names nobody is none", "[workers]") {
  const std::string whole = encode(sample(412));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const auto place = parse_server_place(std::string_view(whole).substr(0, bytes));
    if (place) CHECK(place->run_folder == sample(412).run_folder);
  }
  for (const char* text : {"", "\n", "pid 0\nrun_folder /r\n", "pid 1x\nrun_folder /r\n",
                           "pid 1\nrun_folder r\n", "pid 1\nphase asleep\nrun_folder /r\n"}) {
    INFO(text);
    CHECK_FALSE(parse_server_place(text));
  }
}

TEST_CASE("a place counts only while its writer holds the lock", "[workers]") {
  const support::TemporaryFolder folder;
  const std::string path = server_place_of(folder.path());
  write(path, encode(sample(::getpid())));
  ::chmod(path.c_str(), 0600);
  CHECK_FALSE(data_holder(folder.path()).is_there());
  {
    const auto lock = base::FileLock::take(data_lock_of(folder.path()));
    REQUIRE(lock);
    CHECK(data_holder(folder.path()).place == sample(::getpid()));
    ::chmod(path.c_str(), 0622);  // others could have written it
    CHECK_FALSE(data_holder(folder.path()).place);
    ::chmod(path.c_str(), 0600);
    write(path, encode(sample(::getpid() + 1)));  // a killed server left it
    CHECK(data_holder(folder.path()).is_there());
    CHECK_FALSE(data_holder(folder.path()).place);
  }
  CHECK_FALSE(data_holder(folder.path()).is_there());
}

}  // namespace
}  // namespace workers
