#include "tools/steno/serve/unused_memory.hpp"

#include <jemalloc/jemalloc.h>

#pragma weak mallctl  // builds with sanitizers do not link it

// jemalloc reads it as it begins. By itself it has four arenas for each processor, and each holds
// memory of its own; one thread of a server does most of its work.
const char* malloc_conf = "narenas:2";

namespace steno {

void free_unused_memory() {
  if (mallctl == nullptr) return;
  // 4096 stands for all arenas, see MALLCTL_ARENAS_ALL.
  static_assert(MALLCTL_ARENAS_ALL == 4096);
  ::mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  ::mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

}  // namespace steno
