// When a reactor submits a command again: after each refusal that leaves it undecided, for want of
// room or because a stream could not be read. Such a command is never dropped, since nobody else
// would send it.
#pragma once

#include <deque>
#include <utility>

#include "workers/commands/command_loop.hpp"

namespace workers {

// The pause before an undecided command is submitted again.
constexpr base::Duration kUndecidedAgain = std::chrono::seconds(1);

// Commands that were not decided, until they are due. `Asked` is what a reactor needs to submit one
// again. Times are log time.
template <class Asked>
class Retry {
 public:
  // Keeps the command if the refusal leaves it undecided; otherwise returns false.
  bool keep(Asked&& asked, const domain::Rejection& refusal, base::Time now) {
    if (!domain::is_undecided(refusal.code)) return false;
    kept_.push_back(std::move(asked));
    due_ = now + kUndecidedAgain;
    return true;
  }
  // Returns those to be submitted now, in order; it keeps them no longer.
  std::deque<Asked> take_due(base::Time now) {
    if (due_ > now) return {};
    return std::exchange(kept_, {});
  }
  bool is_empty() const { return kept_.empty(); }
  base::Time due() const { return due_; }

 private:
  std::deque<Asked> kept_;
  base::Time due_;
};

}  // namespace workers
