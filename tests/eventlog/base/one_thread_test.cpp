// An object that belongs to a thread ends a process that uses it from another one.
#include "eventlog/base/one_thread.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

namespace {

TEST_CASE("an object belongs to the first thread that uses it", "[base]") {
  base::OneThread owner;
  owner.check();
  owner.check();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);  // what it says would confuse whoever reads the test's output
    pthread_t other{};
    ::pthread_create(
        &other, nullptr,
        [](void* shared) -> void* {
          static_cast<base::OneThread*>(shared)->check();
          return nullptr;
        },
        &owner);
    ::pthread_join(other, nullptr);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

}  // namespace
