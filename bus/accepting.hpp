// How many of the process's descriptors its peers may have. libzmq accepts by itself, on threads of
// its own, and 4.3.4 ends the process where an ipc socket has a peer and no descriptor is left.
#pragma once

namespace bus {

// From here on a connection whose descriptor would be `limit` or more is closed at once; its peer
// sees that and tries again. Descriptors are given out from the lowest, so below the limit there
// are never more than so many, and those above it are left for the process's own files. Of the
// whole process. Called once, before the first socket is bound.
void keep_descriptors_above(int limit);

}  // namespace bus
