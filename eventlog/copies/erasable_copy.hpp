// Port: a place beside the log that holds texts of it, such as a backup. An erasure is completed
// only once each of these places was reached.
#pragma once

#include <string>
#include <vector>

#include "eventlog/proof/erased_after_copy.hpp"

namespace eventlog {

// Used by one thread at a time.
class ErasableCopy {
 public:
  virtual ~ErasableCopy() = default;

  // For texts: "backup monday".
  virtual std::string name() const = 0;

  // Takes the texts out, which the log holds no more. Idempotent, also after a part of it was done.
  // Returns the outcome of each erasure, in their order. Error: nothing in it could be reached; the
  // text says how to mend that, if somebody must.
  virtual Result<std::vector<Result<void>>> erase(const std::vector<LaterErasure>& erasures) = 0;

  // Call it after each erase(). On return no file of the copy holds what was taken out, not even
  // after a loss of power.
  virtual Result<void> scrub() = 0;
};

}  // namespace eventlog
