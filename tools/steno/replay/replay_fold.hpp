// The states of all sessions as they were at a point of the log.
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {

// A session's state and what it does not keep by itself.
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

// Where a fold stopped, and what it gave.
struct Fold {
  base::LogId log;
  base::Position position;
  base::Time log_time;
  base::Position begins{1};  // the first event that was folded
  std::map<std::string, FoldedSession>
      sessions;  // by stream; those that began at `begins` or later
};

// Where a fold is to stop: behind the last event that both allow.
struct FoldEnd {
  base::Position position{std::numeric_limits<std::int64_t>::max()};
  base::Time time{std::numeric_limits<std::int64_t>::max()};
  bool is_position = false;
};

// As `--at` says it: a position; a time, ISO 8601 in UTC or microseconds since 1970 in 14 digits or
// more; empty: the log's end. Error invalid: it is none of these.
base::Result<FoldEnd> parse_fold_end(const std::string& at);

// A log whose beginning was archived is folded from its own first event on: the sessions that began
// before it had all ended. Errors: not_found when there is no such position, or it is archived;
// damaged when an event up to there is missing or
// cannot be read, or may be missing behind the log's end.
base::Result<Fold> fold_log(const eventlog::UnprovedLog& log, const FoldEnd& end,
                            ProgressLine& progress);

using FoldedSessions = std::vector<const FoldedSession*>;

// Those that `reference` names, as everywhere: id; alias; name, of several sessions the live one,
// else the newest; a prefix of id or alias; the agent's own session id. Empty: all. In the order of
// their opening. Of one agent, unless that is empty. Errors: not_found; invalid for several.
base::Result<FoldedSessions> choose_sessions(const Fold& fold, const std::string& agent,
                                             const std::string& reference);

}  // namespace steno
