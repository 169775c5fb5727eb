// Answers from the store alone; no projection is needed.
#include "workers/queries/log_end.hpp"

namespace workers {
namespace {

base::Result<LogEndAnswer> log_end(const QuerySources& sources, const QueryBody&,
                                   const Query& query) {
  return LogEndAnswer{sources.log.first(), query.durable};
}

}  // namespace

const QueryKind kLogEndQuery{"log_end", QueryReads::log, {}, run_query<log_end>};

}  // namespace workers
