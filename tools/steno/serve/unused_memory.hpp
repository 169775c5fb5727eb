// Memory that the allocator holds and nobody uses.
#pragma once

namespace steno {

// Gives it back to the operating system. By itself jemalloc would do so over ten seconds of further
// work, and a server that has little of it would keep what its start took. Does nothing with
// another allocator.
void free_unused_memory();

}  // namespace steno
