#include "tools/benchmarks/rows.hpp"

namespace benchmarks {

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"ack_p50_over_floor", "x", GoalKind::at_most, 1.15, measure_ack_over_floor},
      {"rate_64_over_redis", "x", GoalKind::at_least, 1.2, measure_rate_64_over_redis},
      {"rate_256_over_fdatasync", "x", GoalKind::at_least, 40, measure_rate_256_over_fdatasync},
      {"fold_events_per_s", "events/s", GoalKind::at_least, 5'000'000, measure_fold},
      {"rss_base_mb", "MB", GoalKind::at_most, 40, measure_rss_base},
  };
  return kRows;
}

}  // namespace benchmarks
