// Text gathers in one string with one deadline, set by its first piece.
#include "workers/engines/partial_output.hpp"

#include <utility>

namespace engines {

void PartialOutput::add(std::string_view text, base::Time now) {
  if (text.empty()) return;
  waiting_ += text;
  // Even the first text waits a full interval: most blocks are finished before it is over.
  if (!deadline_) deadline_ = now + kPartialOutputInterval;
}

void PartialOutput::drop() {
  waiting_.clear();
  deadline_.reset();
}

std::string PartialOutput::take_due(base::Time now) {
  const bool is_due = waiting_.size() >= kPartialOutputBytes || (deadline_ && now >= *deadline_);
  return is_due ? take_rest() : std::string();
}

std::string PartialOutput::take_rest() {
  deadline_.reset();
  return std::exchange(waiting_, {});
}

}  // namespace engines
