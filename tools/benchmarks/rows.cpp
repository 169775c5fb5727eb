// The order here is that of the table and of the run.
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"ack_p50_over_floor", "x", GoalKind::at_most, 1.15, measure_ack_over_floor},
      {"ack_p50_over_redis", "x", GoalKind::at_most, 1.0, measure_ack_over_redis},
      {"notify_p50_over_ack_p50", "x", GoalKind::at_most, 1.05, measure_notify_over_ack},
      {"rate_64_over_redis", "x", GoalKind::at_least, 1.2, measure_rate_64_over_redis},
      {"rate_256_over_fdatasync", "x", GoalKind::at_least, 40, measure_rate_256_over_fdatasync},
      {"rate_1024_over_unsynced", "x", GoalKind::at_least, 0.95, measure_rate_1024_over_unsynced},
      {"append_cpu_us", "us", GoalKind::at_most, 3, measure_append_cpu},
      {"fold_events_per_s", "events/s", GoalKind::at_least, 5'000'000, measure_fold},
      {"verify_over_blake2b", "x", GoalKind::at_least, 0.85, measure_verify},
      {"rebuild_over_fold", "x", GoalKind::at_least, 0.4, measure_rebuild},
      {"recover_ms", "ms", GoalKind::at_most, 150, measure_recover},
      {"recover_ms_ended_1m", "x", GoalKind::at_most, 1.2, measure_recover_ended},
      {"rss_ended_1m_mb", "x", GoalKind::at_most, 1.2, measure_rss_ended},
      {"list_ms_ended_1m", "ms", GoalKind::at_most, 5, measure_list_ended},
      {"output_page_ms", "ms", GoalKind::at_most, 5, measure_output_page},
      {"search_ms", "ms", GoalKind::at_most, 20, measure_search},
      {"update_rate_flatness_hot", "x", GoalKind::at_least, 0.95, measure_flatness_hot},
      {"update_rate_flatness_uniform", "x", GoalKind::at_least, 0.5, measure_flatness_uniform},
      {"cold_over_warm_p50", "x", GoalKind::at_most, 1.3, measure_cold_over_warm},
      {"update_over_json_index", "x", GoalKind::at_least, 100, measure_update_over_json},
      {"conversation_update_over_json_index", "x", GoalKind::at_least, 100,
       measure_entries_over_json},
      {"conversation_update_over_sqlite", "x", GoalKind::at_least, 1, measure_entries_over_sqlite},
      {"conversation_list_ms", "ms", GoalKind::at_most, 5, measure_conversation_list},
      {"transcript_page_ms", "ms", GoalKind::at_most, 5, measure_transcript_page},
      {"feed_deliveries_per_s", "/s", GoalKind::at_least, 8'000'000, measure_feed},
      {"feed_level_deliveries_per_s", "/s", GoalKind::at_least, 1'000'000, measure_feed_levels},
      {"rss_per_live_session_bytes", "B", GoalKind::at_most, 2048, measure_rss_live},
      {"rss_base_mb", "MB", GoalKind::at_most, 20, measure_rss_base},
      {"kill_ms_in_flood", "x", GoalKind::at_most, 10, measure_kill_in_flood},
      {"good_client_p99_ms", "ms", GoalKind::at_most, 20, measure_good_client},
      {"spawn_overhead_ms", "ms", GoalKind::at_most, 5, measure_spawn_overhead},
      {"approval_ms", "ms", GoalKind::at_most, 2, measure_approval},
      {"hook_step_ms", "ms", GoalKind::at_most, 2, measure_hook_step},
      {"ls_ms", "ms", GoalKind::at_most, 8, measure_ls},
      {"ls_busy_p99_ms", "ms", GoalKind::at_most, 30, measure_ls_busy},
      {"completion_ms", "ms", GoalKind::at_most, 50, measure_completion},
      {"attach_first_screen_ms", "ms", GoalKind::at_most, 50, measure_attach},
      {"top_cpu_percent", "%", GoalKind::at_most, 2, measure_top},
      {"live_processes", "", GoalKind::at_least, 1'000, measure_live_processes},
      {"live_sessions", "", GoalKind::at_least, 10'000, measure_live_sessions},
      {"rate_64_over_rocksdb", "x", GoalKind::none, 0, measure_over_rocksdb},
      {"rate_64_over_sqlite", "x", GoalKind::none, 0, measure_over_sqlite},
      {"rate_64_over_postgresql", "x", GoalKind::none, 0, measure_over_postgresql},
      {"rate_64_over_jetstream", "x", GoalKind::none, 0, measure_over_jetstream},
  };
  return kRows;
}

}  // namespace benchmarks
