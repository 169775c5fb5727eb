// The settings of the allocator, and what it is asked for.
#include "tools/steno/serve/unused_memory.hpp"

#include <jemalloc/jemalloc.h>

#pragma weak mallctl  // builds with sanitizers, and those for fuzzing, do not link it

// jemalloc reads these settings before main(), for every command of the program. By default it has
// four arenas for each processor, and each holds memory of its own. Most of the work is done by one
// thread.
const char* malloc_conf = "narenas:2";

namespace steno {

void free_unused_memory() {
  if (mallctl == nullptr) return;
  // 4096 stands for all arenas.
  static_assert(MALLCTL_ARENAS_ALL == 4096);
  ::mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  ::mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

}  // namespace steno
