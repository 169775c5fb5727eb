// A library that is loaded into a `steno serve` before all others, to measure what syncing costs
// it: nothing that it asks to be synced is. What such a server calls durable is not.
#include <unistd.h>

extern "C" {

int fdatasync(int) {
  return 0;
}

int fsync(int) {
  return 0;
}
}
