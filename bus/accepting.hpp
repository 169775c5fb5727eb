// Limits how many of the process's descriptors its peers can hold. ZeroMQ accepts connections on
// threads of its own, and its release 4.3.4 ends the process when a peer of an ipc socket comes and
// no descriptor is left.
#pragma once

namespace bus {

// Closes at once, from now on, each connection whose descriptor would be `limit` or more; its peer
// sees that and tries again. Descriptors are given out from the lowest, so at most `limit` are
// below it, and those above are left for the process's own files. Applies to the whole process.
// Call it once, before the first socket is bound.
void keep_descriptors_above(int limit);

}  // namespace bus
