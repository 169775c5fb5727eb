// Preloaded into a `steno serve` to measure the cost of syncing: every sync returns at once. Events
// that such a server calls durable are not.
#include <unistd.h>

extern "C" {

int fdatasync(int) {
  return 0;
}

int fsync(int) {
  return 0;
}
}
