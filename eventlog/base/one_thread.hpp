// Checks that an object is used by one thread, in every build. A class whose comment says "used by
// one thread" has one as a member and calls check() where its work is done.
#pragma once

#include <pthread.h>

#include <optional>

namespace base {

class OneThread {
 public:
  // Belongs to the first thread that calls it. Any other one ends the process: two threads in one
  // object are a bug whose results cannot be trusted. A thread that was made after the first one
  // had ended may have its identity, and then passes.
  void check() {
    const pthread_t caller = ::pthread_self();
    if (!owner_) owner_ = caller;
    if (::pthread_equal(*owner_, caller) == 0) used_by_another();
  }

 private:
  [[noreturn]] static void used_by_another();

  std::optional<pthread_t> owner_;
};

}  // namespace base
