// Events that must stay in the log, since their texts can be asked for again.
#pragma once

#include "eventlog/domain/stream_ref.hpp"

namespace workers {

// Those of a stream from a position on.
struct NeededEvents {
  domain::StreamRef stream;
  base::Position from;
};

}  // namespace workers
