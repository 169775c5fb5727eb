// The query `log_end`: the positions of the log's first and last event.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

struct LogEndAnswer {
  Position first;
  Position last;

  bool operator==(const LogEndAnswer&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("first", self.first);
    visit("last", self.last);
  }
};

extern const QueryKind kLogEndQuery;

}  // namespace workers
