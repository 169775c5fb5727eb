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

// A data folder whose lock this process holds.
struct HeldFolder {
  // Returns the place that a file with this text tells.
  std::optional<ServerPlace> told(const std::string& text) const {
    const std::string path = server_place_of(folder.path());
    write(path, text);
    ::chmod(path.c_str(), 0600);
    return data_holder(folder.path()).place;
  }
  support::TemporaryFolder folder;
  base::Result<base::FileLock> lock = base::FileLock::take(data_lock_of(folder.path()));
};

TEST_CASE("a server's place is read as it was written", "[workers]") {
  const HeldFolder held;
  REQUIRE(held.lock);
  const ServerPlace place = sample(::getpid());
  CHECK(held.told(encode(place)) == place);
  CHECK(held.told("later 1\n" + encode(place)) == place);
}

TEST_CASE("a server's place that is cut short or names nobody is none", "[workers]") {
  const HeldFolder held;
  REQUIRE(held.lock);
  const std::string pid = "pid " + std::to_string(::getpid()) + "\n";
  const std::string whole = encode(sample(::getpid()));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const auto place = held.told(whole.substr(0, bytes));
    if (place) CHECK(place->run_folder == sample(0).run_folder);
  }
  for (const std::string& text :
       {std::string(), std::string("\n"), "run_folder /r\n" + pid + "x", pid + "run_folder r\n",
        std::string("run_folder /r\n"), pid + "phase asleep\nrun_folder /r\n"}) {
    INFO(text);
    CHECK_FALSE(held.told(text));
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
