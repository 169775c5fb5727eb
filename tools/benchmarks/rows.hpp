// The functions that measure the rows. Each is in a file of its own, which says what it measures.
#pragma once

#include "tools/benchmarks/row.hpp"

namespace benchmarks {

base::Result<Figure> measure_ack_over_floor(Workbench& bench);           // ack_row.cpp
base::Result<Figure> measure_ack_over_redis(Workbench& bench);           // ack_redis_row.cpp
base::Result<Figure> measure_notify_over_ack(Workbench& bench);          // notify_row.cpp
base::Result<Figure> measure_rate_64_over_redis(Workbench& bench);       // rate_64_row.cpp
base::Result<Figure> measure_rate_256_over_fdatasync(Workbench& bench);  // rate_256_row.cpp
base::Result<Figure> measure_rate_1024_over_unsynced(Workbench& bench);  // rate_1024_row.cpp
base::Result<Figure> measure_append_cpu(Workbench& bench);               // append_cpu_row.cpp
base::Result<Figure> measure_fold(Workbench& bench);                     // fold_row.cpp
base::Result<Figure> measure_verify(Workbench& bench);                   // verify_row.cpp
base::Result<Figure> measure_rebuild(Workbench& bench);                  // rebuild_row.cpp
base::Result<Figure> measure_recover(Workbench& bench);                  // recover_row.cpp
base::Result<Figure> measure_recover_ended(Workbench& bench);            // ended_rows.cpp
base::Result<Figure> measure_rss_ended(Workbench& bench);                // ended_rows.cpp
base::Result<Figure> measure_list_ended(Workbench& bench);               // ended_rows.cpp
base::Result<Figure> measure_output_page(Workbench& bench);              // output_row.cpp
base::Result<Figure> measure_search(Workbench& bench);                   // search_row.cpp
base::Result<Figure> measure_flatness_hot(Workbench& bench);             // flatness_rows.cpp
base::Result<Figure> measure_flatness_uniform(Workbench& bench);         // flatness_rows.cpp
base::Result<Figure> measure_cold_over_warm(Workbench& bench);           // cold_row.cpp
base::Result<Figure> measure_update_over_json(Workbench& bench);         // json_row.cpp
base::Result<Figure> measure_entries_over_json(Workbench& bench);        // conversation_rows.cpp
base::Result<Figure> measure_entries_over_sqlite(Workbench& bench);      // conversation_rows.cpp
base::Result<Figure> measure_conversation_list(Workbench& bench);        // conversation_ls_row.cpp
base::Result<Figure> measure_transcript_page(Workbench& bench);          // transcript_row.cpp
base::Result<Figure> measure_feed(Workbench& bench);                     // feed_rows.cpp
base::Result<Figure> measure_feed_levels(Workbench& bench);              // feed_rows.cpp
base::Result<Figure> measure_rss_live(Workbench& bench);                 // rss_live_row.cpp
base::Result<Figure> measure_rss_base(Workbench& bench);                 // rss_row.cpp
base::Result<Figure> measure_kill_in_flood(Workbench& bench);            // flood_rows.cpp
base::Result<Figure> measure_good_client(Workbench& bench);              // flood_rows.cpp
base::Result<Figure> measure_spawn_overhead(Workbench& bench);           // spawn_row.cpp
base::Result<Figure> measure_approval(Workbench& bench);                 // ask_rows.cpp
base::Result<Figure> measure_hook_step(Workbench& bench);                // ask_rows.cpp
base::Result<Figure> measure_ls(Workbench& bench);                       // ls_rows.cpp
base::Result<Figure> measure_ls_busy(Workbench& bench);                  // ls_rows.cpp
base::Result<Figure> measure_completion(Workbench& bench);               // ls_rows.cpp
base::Result<Figure> measure_attach(Workbench& bench);                   // ls_rows.cpp
base::Result<Figure> measure_top(Workbench& bench);                      // ls_rows.cpp
base::Result<Figure> measure_live_processes(Workbench& bench);           // live_processes_row.cpp
base::Result<Figure> measure_live_sessions(Workbench& bench);            // live_sessions_row.cpp
base::Result<Figure> measure_over_rocksdb(Workbench& bench);             // peer_rows.cpp
base::Result<Figure> measure_over_sqlite(Workbench& bench);              // peer_rows.cpp
base::Result<Figure> measure_over_postgresql(Workbench& bench);          // peer_rows.cpp
base::Result<Figure> measure_over_jetstream(Workbench& bench);           // peer_rows.cpp

}  // namespace benchmarks
