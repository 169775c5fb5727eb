// Folds the states of all sessions up to a point of the log.
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {

// A session's state, and figures that the state does not hold.
struct FoldedSession {
  domain::SessionState state;
  base::StreamVersion version;
  base::Position last;
  base::Time opened_at;
  base::Time updated_at;
  std::int64_t turns_queued = 0;
  std::int64_t turns_finished = 0;
  std::int64_t turns_failed = 0;
  std::int64_t turns_interrupted = 0;
};

// The result of a fold, and the point where it stopped.
struct Fold {
  base::LogId log;
  base::Position position;
  base::Time log_time;
  base::Position begins{1};  // the first event that was folded
  std::map<std::string, FoldedSession>
      sessions;  // by stream; those that began at `begins` or later
};

// The end of a fold: the last event that both bounds allow.
struct FoldEnd {
  base::Position position{std::numeric_limits<std::int64_t>::max()};
  base::Time time{std::numeric_limits<std::int64_t>::max()};
  bool is_position = false;
};

// Parses `--at`: a position; a time, ISO 8601 in UTC or microseconds since 1970 in 14 digits or
// more; empty for the log's end. Error invalid: it is none of these.
base::Result<FoldEnd> parse_fold_end(const std::string& at);

// Folds the log up to `end`. A log whose beginning was archived is folded from its own first event
// on; sessions that began earlier had all ended. Errors:
//   not_found  there is no such position, or it is archived
//   damaged    an event up to there is missing or unreadable, or may be missing behind the log's
//   end
base::Result<Fold> fold_log(const eventlog::UnprovedLog& log, const FoldEnd& end,
                            ProgressLine& progress);

using FoldedSessions = std::vector<const FoldedSession*>;

// Returns the sessions that `reference` names, in the order of their opening; empty: all. A
// reference is an id; an alias; a name (of several sessions the live one, else the newest); a
// prefix of an id or alias, of 4 characters or more; the agent's own session id (of several the
// newest). Considers only `agent`, unless that is empty. Errors: not_found; invalid if several
// sessions fit.
base::Result<FoldedSessions> choose_sessions(const Fold& fold, const std::string& agent,
                                             const std::string& reference);

}  // namespace steno
