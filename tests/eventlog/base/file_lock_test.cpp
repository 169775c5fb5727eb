// A lock file has one owner, which others can ask about without taking it. Child processes do not
// inherit the lock.
#include "eventlog/base/file_lock.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using base::FileLock;
using base::is_locked;

TEST_CASE("a lock is held by one owner and is free again after it", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  {
    const auto first = FileLock::take(path);
    REQUIRE(first);
    const auto second = FileLock::take(path);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == base::ErrorCode::in_use);
    CHECK(is_locked(path).value());
  }
  CHECK_FALSE(is_locked(path).value());
  CHECK(FileLock::take(path));
}

TEST_CASE("a lock names its holder", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  CHECK(base::lock_holder(path) == 0);
  const auto lock = FileLock::take(path);
  CHECK(base::lock_holder(path) == ::getpid());
  CHECK(FileLock::take(path).error().text.find(std::to_string(::getpid())) != std::string::npos);
}

TEST_CASE("asking about a lock does not take it", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  REQUIRE(FileLock::take(path));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(is_locked(path).value());
  const auto lock = FileLock::take(path);
  REQUIRE(lock);
  for (int i = 0; i < 3; ++i) CHECK(is_locked(path).value());
}

TEST_CASE("a lock does not pass to child processes", "[base][C07]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("lock");
  pid_t child = -1;
  {
    const auto lock = FileLock::take(path);
    REQUIRE(lock);
    std::string words[] = {"/bin/sleep", "60"};
    char* const argv[] = {words[0].data(), words[1].data(), nullptr};
    REQUIRE(::posix_spawn(&child, argv[0], nullptr, nullptr, argv, nullptr) == 0);
  }
  CHECK_FALSE(is_locked(path).value());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a lock moves with its owner", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  std::optional<FileLock> owner;
  {
    auto lock = FileLock::take(path);
    REQUIRE(lock);
    owner.emplace(*std::move(lock));
  }
  CHECK(is_locked(path).value());
  owner.reset();
  CHECK_FALSE(is_locked(path).value());
}

// Takes the lock again and again and deletes its file under it. Returns false if another process
// had it at the same time: then the marker is there.
bool take_and_delete(const std::string& path, const std::string& marker) {
  for (int taken = 0; taken < 300;) {
    const auto lock = FileLock::take(path);
    if (!lock) continue;
    ++taken;
    if (::mkdir(marker.c_str(), 0700) != 0) return false;
    ::rmdir(marker.c_str());
    ::unlink(path.c_str());
  }
  return true;
}

TEST_CASE("a lock has one owner although its file is deleted under it", "[base][C07]") {
  const support::TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(take_and_delete(folder.file("a.lock"), folder.file("marker")) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("a lock file is for its user alone", "[base]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  REQUIRE(FileLock::take(path));
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a missing file is not locked, a missing folder cannot be locked in", "[base]") {
  const support::TemporaryFolder folder;
  CHECK_FALSE(is_locked(folder.file("none.lock")).value());
  const auto lock = FileLock::take(folder.file("none/a.lock"));
  REQUIRE_FALSE(lock);
  CHECK(lock.error().code == base::ErrorCode::not_found);
}

}  // namespace
