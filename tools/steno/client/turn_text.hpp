// The frame that shows a session's output as a conversation: a heading where a turn begins, and a
// line with its time and cost where it ends.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workers/operations/session_turns.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

// Returns "500 in, 100 out tokens, $0.0008", what a call of the model or a turn has used; empty:
// nothing is said of it.
std::string use_text(const workers::OutputItem& item);

struct TurnTextOptions {
  base::Time now;              // wall time
  bool is_for_people = false;  // times of this machine's zone, else of UTC
  bool has_color = false;      // the frame is dim
};

// Items are handed in as they are printed. Each text has its line feeds; most are empty.
class TurnText {
 public:
  TurnText(workers::SessionTurns turns, const TurnTextOptions& options)
      : turns_(std::move(turns)), options_(options) {}

  // Returns what comes before the item. `row`: of the session, as of then.
  std::string before(const workers::OutputItem& item, const projections::SessionRow& row);
  // Returns what comes behind it.
  std::string after(const workers::OutputItem& item) const;
  // Returns what comes behind the last item.
  std::string end(const projections::SessionRow& row) const {
    return has_queued_ ? std::string() : at_work(row);
  }

 private:
  // Returns for how long the turn that is printed has been at work; empty: it is over.
  std::string at_work(const projections::SessionRow& row) const;
  const workers::SessionTurn* find(base::TurnId turn) const;
  std::string heading(const workers::SessionTurn& turn) const;
  std::string dim(const std::string& text) const;

  workers::SessionTurns turns_;
  const TurnTextOptions options_;
  base::TurnId current_;     // whose items are printed; unset: none's yet
  bool has_queued_ = false;  // prompts that wait are printed
};

}  // namespace steno
