// The query `log_end`: the positions of the log's first and last event.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

struct LogEndAnswer {
  Position first;
  Position last;

  bool operator==(const LogEndAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("first", &LogEndAnswer::first);
    visit("last", &LogEndAnswer::last);
  }
};

extern const QueryKind kLogEndQuery;

}  // namespace workers
