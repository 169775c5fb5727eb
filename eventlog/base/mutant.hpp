// Deliberate bugs that prove the tests can fail. In an ordinary build `mutant(...)` is the constant
// false and the branch is gone. With STENO_MUTANTS the environment variable STENO_MUTANT=name
// switches one on, in any program. tests/mutants.toml says which test catches each; ./tools/mutants
// runs them.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#ifdef STENO_MUTANTS
#include <cstdio>
#include <cstdlib>
#endif

namespace base {

enum class Mutant {
  none,
  acknowledge_before_sync,      // an answer leaves before its block is durable
  publish_before_durable,       // events are handed out while their block is in flight
  version_not_checked,          // an append with a wrong expected version is taken
  only_first_version_checked,   // an append to several streams checks only the first
  gap_after_restart,            // the first event after a restart leaves a position out
  writer_term_kept,             // a new server writes under the term of the one before it
  log_time_of_caller,           // an event takes the caller's time, even if the log is later
  log_clock_follows_wall,       // log time jumps with the wall clock
  doubt_ignored,                // a block whose fate is unknown counts as stored
  chain_not_linked,             // a block does not name the one before it
  checksum_not_compared,        // a block with a wrong checksum is read
  block_not_synced,             // the store says stored before the disk has the block
  head_before_block,            // the head file is written before its block is stored
  head_not_written,             // the head file stays where it was
  head_never_synced,            // the head file is written and left to the page cache
  head_in_one_slot,             // each head overwrites the one before it
  head_sequence_restarts,       // a reopened head file numbers its writes from 1 again
  torn_head_accepted,           // a slot of the head file is read without its checksum
  head_not_compared,            // a log is opened without a look at its head
  head_hash_not_compared,       // another block than the acknowledged one may stand at the head
  end_not_proved,               // the last blocks may contradict each other
  reader_sees_unacknowledged,   // a reader beside the server reads past the head
  content_not_proved,           // a text is not compared with its digest
  completed_before_scrubbed,    // an erasure counts as done while files still hold the text
  backup_not_reached,           // an erasure leaves the text in backups
  evidence_comes_back,          // after a loss of power, evidence that was removed is back
  put_back_unordered,           // evidence is put back with its CURRENT first
  copy_note_not_synced,         // a copy's note of erasures can be lost with the power
  refused_log_changed,          // a refused start leaves the files as RocksDB changed them
  backup_not_synced,            // files of a backup may be on the disk only after its head
  restored_not_synced,          // files of a restored log may be on the disk only after its head
  copy_erasures_unrecorded,     // erasures in a copy are missing in the log made of it
  backup_not_proved,            // a backup counts as made without being proved
  signature_not_checked,        // an anchor counts without a valid signature
  anchor_hash_not_compared,     // an anchor may name another block than the log holds there
  archive_not_proved,           // an archive counts as made without being proved
  archive_not_reached,          // an erasure leaves the text in archives
  live_session_archived,        // the log is trimmed of events that a live session needs
  base_hash_not_compared,       // a trimmed log may begin with a block that follows another one
  base_rows_not_compared,       // rows are built upon a base that its anchor does not name
  restored_epoch_kept,          // a restored log goes on in the epoch that it was copied from
  kept_half_as_long,            // text is erased after half its retention time
  unexplained_loss_passed,      // content that is missing without an erasure is no problem
  erased_stays_in_wal,          // erased content is left in the write-ahead log
  erased_stays_in_tables,       // erased content is left in the store's tables
  large_content_kept,           // content in chunks is not erased
  whole_block_erased,           // erasing one event's content erases that of its block
  index_one_behind,             // the stream index leaves out the last event
  index_skips_block,            // events behind a snapshot are looked up one version late
  index_leaves_event_out,       // the index names one event of each stream in a block
  index_not_proved,             // an index of another history is used
  snapshot_version_wrong,       // a snapshot says it holds one event more than it does
  snapshot_schema_ignored,      // a snapshot of an older schema is used
  lock_says_free,               // a lock that is held is reported as free
  skip_deduplication,           // a repeated command id is decided again
  digest_not_compared,          // a command id with another body is answered from the record
  rejection_before_durable,     // a rejection leaves before its basis is durable
  expected_version_ignored,     // a command for another version of its session is taken
  deadline_ignored,             // a command is decided after its deadline
  spawn_names_any_session,      // a spawn can name any session, so a retry spawns another
  commands_overtake,            // a session's newest waiting command is decided first
  kill_waits_its_turn,          // a kill waits for all earlier commands of its session
  shares_not_kept,              // one session can fill the whole inbox
  snapshot_before_durable,      // a state that is not durable is saved and evicted
  evicted_while_changed,        // a session is evicted though it changed while it was saved
  ignore_fencing_token,         // a report under an old token is taken
  report_taken_twice,           // a recorded report is recorded again
  report_gap_taken,             // a report is taken though the one before it is missing
  admission_off_by_one,         // one session more than the limit is admitted
  alias_taken_again,            // an alias that another session has is given again
  name_not_freed,               // an ended session keeps its name
  given_name_shared,            // a name that a live session has is given to another one
  made_name_outlives_prompt,    // a prompt is erased, and the name made of it is not
  place_not_freed,              // an ended session keeps its place in admission
  lease_end_not_settled,        // a lease that ends after its session leaves it unsettled
  second_lease,                 // a session that has a lease is given another
  turn_outlives_worker,         // a turn survives its worker: an agent gets it again
  queue_stops_at_interrupt,     // after an interrupted turn the next one is not started
  cost_of_all_turns,            // a turn is charged the agent's total, not its own cost
  queue_reversed,               // prompts run in the reverse of their order
  whole_erasure_while_leased,   // a session is erased while its agent can still report
  waiting_prompt_erased,        // a prompt that the agent has not been given yet is erased
  status_leaves_end,            // a session that has ended runs again when its agent says hello
  usage_counted_twice,          // the tokens of a turn count twice
  first_position_answered,      // a retry is answered with its first event's position, not its last
  lease_expired_while_held,     // a lease is expired while the lock of its session is held
  directive_numbers_restart,    // a new server numbers its directives from 1 again
  directive_not_repeated,       // a directive that the worker did not obey is not sent again
  refused_report_acknowledged,  // a report that was refused is acknowledged like one on the record
  leases_forgotten_at_start,    // a new server does not know the leases of the one before it
  directive_order_ignored,      // an older directive is obeyed after a newer one
  prompt_given_again,           // a directive that is sent again gives the agent its prompt again
  two_agents_of_session,        // an agent is started while that of the older lease still runs
  reports_forgotten_at_send,    // the worker forgets reports as soon as they are sent
  reports_not_resent,           // after a reconnection the worker does not send its reports again
  first_lease_reports_first,    // the first agent's reports are always sent first
  output_read_without_bound,    // agents are read though there is no room for their reports
  orphaned_agents_run_on,       // agents run on though no server is heard
  query_does_not_wait,          // a query is answered before the position that it asks for
  views_not_caught_up,          // a query is answered from rows that are behind the log
  page_skips_event,             // a full page of the log claims the event that did not fit
  scope_not_checked,            // a connection of one agent commands another's sessions
  live_switch_off_by_one,       // at the switch from the log to the feed one event is left out
  event_given_twice,            // at the switch from the log to the feed one event is given twice
  gap_not_noticed,              // a feed message is taken though one before it is missing
  epoch_ignored,                // a log that was restored is followed like the one before it
  history_not_compared,         // a reader of another history is given pages
  new_life_not_proved,          // a subscriber takes a new life's messages before it reads its log
  beacon_ignored,               // a beacon that names a lost event is not heeded
  beacon_ahead,                 // a beacon names a position that is not durable
  unknown_past_denied,          // the feed says of a forgotten level that it has no past
  late_answer_dropped,          // a client drops the answer to a request that it has sent again
  answer_of_older_ask,          // a client takes the answer to an older ask under the same id
  request_not_resent,           // a client sends a request once
  projector_ignores_chain,      // a projection goes on over a block that does not follow
  projector_ignores_epoch,      // a projection goes on into an epoch that nothing began
  checkpoint_not_in_batch,      // rows are written first and their checkpoint in a second batch
  batch_folded_again,           // a projection's checkpoint lags a batch behind its rows
  half_block_folded,            // a projection folds a block of which only a part is durable
  rebuild_keeps_rows,           // a projection that is built anew begins with its old rows
  killed_counted_failed,        // the totals count killed sessions as failed
  totals_miss_usage,            // the sum over all agents leaves the tokens out
  name_stays_taken,             // a name goes on meaning a session that has ended
  line_cut_at_buffer,           // a line that does not fit one read becomes two
  prompt_cut_at_pipe,           // a prompt larger than the pipe loses its rest
  late_result_of_other_turn,    // a late result ends the turn that runs now
  environment_leaks,            // an agent inherits the whole environment of its worker
  keeper_ignores_lock,          // a keeper starts its agent though another holds the session
  keeper_spares_tree,           // a keeper spares processes that its agent left running
  keeper_frees_lock_early,      // a keeper frees the lock before the tree is dead
  keeper_outlives_worker,       // a keeper lets its agent run on after the worker's death
  stray_tree_spared,            // after a keeper's death the worker leaves its tree alive
  reaper_ignores_locks,         // the reaper kills trees whose keeper lives
  lock_inherited,               // a child process keeps the lock of its parent
  unread_prompt_given_empty,    // an agent is given no words when its prompt cannot be read
  kill_only_closes,             // a killed session's agent is asked to finish, not ended
  unknown_report_dropped,       // a report of a later release leaves a hole in the sequence
  zombie_lease_kept,            // a worker is not told that a lease it holds is over
  silent_worker_kept,           // a worker counts as present however long it is silent
  unsettled_forgotten_at_start,  // a new server does not know the leases of ended sessions
  parked_for_ever,               // a query for a position that never comes is never answered
  agent_level_silent,            // the events of sessions are not published on their agent's level
  lost_lease_runs_on,            // an agent runs on under a lease that is over
  closing_agent_not_ended,       // an agent that does not end when its stdin does runs for ever
  batch_without_bound,           // one message holds all waiting reports, however large
  partial_shown_twice,           // a partial output is shown beside the finished block
  oldest_output_shown,           // too much output is cut at its end, not its beginning
  output_page_skips_block,       // a page of output begins one block too late
  client_never_reconnects,       // a client waits on a connection that is dead
  worker_never_reconnects,       // a worker waits on a connection that is dead
  late_copy_accepted,            // a late copy of a refused command is accepted
  stopped_worker_obeys,          // a worker that was stopped obeys a directive of a lost lease
  ended_lease_begun_again,       // a directive that comes late begins an ended lease again
  log_read_needs_rows,           // the log cannot be read while rows cannot be written
  expiring_lease_directed,       // a worker is directed while its lease is being expired
  holder_not_awaited,            // a new server gives up a holder that has not registered yet
  views_not_tried_again,         // rows that could not be written wait for the next event
  agent_session_freed_early,     // an agent's session is free while its last agent still ends
  page_of_another,               // a projection goes on with the page of one further behind
  stale_rows_answered,           // a query is answered from rows that have stopped
  busy_is_refusal,               // a full inbox is reported as a refusal
  clock_read_before_frames,      // a worker stopped while it reads obeys what it read before
  unbegun_lease_kept,            // a worker that lost its server begins old directives
  one_fault_fails_all,           // a projection that stopped fails queries that do not read it
  full_queue_ends_worker,        // a worker whose queue is full counts as gone
  unsent_acks_dropped,           // acknowledgements that did not fit a queue are dropped
  takeover_behind,               // a new server takes over an outdated record
};

// The names, in the order above.
constexpr std::string_view kMutantNames[] = {
    "none",
    "acknowledge_before_sync",
    "publish_before_durable",
    "version_not_checked",
    "only_first_version_checked",
    "gap_after_restart",
    "writer_term_kept",
    "log_time_of_caller",
    "log_clock_follows_wall",
    "doubt_ignored",
    "chain_not_linked",
    "checksum_not_compared",
    "block_not_synced",
    "head_before_block",
    "head_not_written",
    "head_never_synced",
    "head_in_one_slot",
    "head_sequence_restarts",
    "torn_head_accepted",
    "head_not_compared",
    "head_hash_not_compared",
    "end_not_proved",
    "reader_sees_unacknowledged",
    "content_not_proved",
    "completed_before_scrubbed",
    "backup_not_reached",
    "evidence_comes_back",
    "put_back_unordered",
    "copy_note_not_synced",
    "refused_log_changed",
    "backup_not_synced",
    "restored_not_synced",
    "copy_erasures_unrecorded",
    "backup_not_proved",
    "signature_not_checked",
    "anchor_hash_not_compared",
    "archive_not_proved",
    "archive_not_reached",
    "live_session_archived",
    "base_hash_not_compared",
    "base_rows_not_compared",
    "restored_epoch_kept",
    "kept_half_as_long",
    "unexplained_loss_passed",
    "erased_stays_in_wal",
    "erased_stays_in_tables",
    "large_content_kept",
    "whole_block_erased",
    "index_one_behind",
    "index_skips_block",
    "index_leaves_event_out",
    "index_not_proved",
    "snapshot_version_wrong",
    "snapshot_schema_ignored",
    "lock_says_free",
    "skip_deduplication",
    "digest_not_compared",
    "rejection_before_durable",
    "expected_version_ignored",
    "deadline_ignored",
    "spawn_names_any_session",
    "commands_overtake",
    "kill_waits_its_turn",
    "shares_not_kept",
    "snapshot_before_durable",
    "evicted_while_changed",
    "ignore_fencing_token",
    "report_taken_twice",
    "report_gap_taken",
    "admission_off_by_one",
    "alias_taken_again",
    "name_not_freed",
    "given_name_shared",
    "made_name_outlives_prompt",
    "place_not_freed",
    "lease_end_not_settled",
    "second_lease",
    "turn_outlives_worker",
    "queue_stops_at_interrupt",
    "cost_of_all_turns",
    "queue_reversed",
    "whole_erasure_while_leased",
    "waiting_prompt_erased",
    "status_leaves_end",
    "usage_counted_twice",
    "first_position_answered",
    "lease_expired_while_held",
    "directive_numbers_restart",
    "directive_not_repeated",
    "refused_report_acknowledged",
    "leases_forgotten_at_start",
    "directive_order_ignored",
    "prompt_given_again",
    "two_agents_of_session",
    "reports_forgotten_at_send",
    "reports_not_resent",
    "first_lease_reports_first",
    "output_read_without_bound",
    "orphaned_agents_run_on",
    "query_does_not_wait",
    "views_not_caught_up",
    "page_skips_event",
    "scope_not_checked",
    "live_switch_off_by_one",
    "event_given_twice",
    "gap_not_noticed",
    "epoch_ignored",
    "history_not_compared",
    "new_life_not_proved",
    "beacon_ignored",
    "beacon_ahead",
    "unknown_past_denied",
    "late_answer_dropped",
    "answer_of_older_ask",
    "request_not_resent",
    "projector_ignores_chain",
    "projector_ignores_epoch",
    "checkpoint_not_in_batch",
    "batch_folded_again",
    "half_block_folded",
    "rebuild_keeps_rows",
    "killed_counted_failed",
    "totals_miss_usage",
    "name_stays_taken",
    "line_cut_at_buffer",
    "prompt_cut_at_pipe",
    "late_result_of_other_turn",
    "environment_leaks",
    "keeper_ignores_lock",
    "keeper_spares_tree",
    "keeper_frees_lock_early",
    "keeper_outlives_worker",
    "stray_tree_spared",
    "reaper_ignores_locks",
    "lock_inherited",
    "unread_prompt_given_empty",
    "kill_only_closes",
    "unknown_report_dropped",
    "zombie_lease_kept",
    "silent_worker_kept",
    "unsettled_forgotten_at_start",
    "parked_for_ever",
    "agent_level_silent",
    "lost_lease_runs_on",
    "closing_agent_not_ended",
    "batch_without_bound",
    "partial_shown_twice",
    "oldest_output_shown",
    "output_page_skips_block",
    "client_never_reconnects",
    "worker_never_reconnects",
    "late_copy_accepted",
    "stopped_worker_obeys",
    "ended_lease_begun_again",
    "log_read_needs_rows",
    "expiring_lease_directed",
    "holder_not_awaited",
    "views_not_tried_again",
    "agent_session_freed_early",
    "page_of_another",
    "stale_rows_answered",
    "busy_is_refusal",
    "clock_read_before_frames",
    "unbegun_lease_kept",
    "one_fault_fails_all",
    "full_queue_ends_worker",
    "unsent_acks_dropped",
    "takeover_behind",
};
static_assert(std::size(kMutantNames) == static_cast<std::size_t>(Mutant::takeover_behind) + 1);

#ifdef STENO_MUTANTS
inline std::optional<Mutant> mutant_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kMutantNames); ++i) {
    if (kMutantNames[i] == name) return static_cast<Mutant>(i);
  }
  return std::nullopt;
}

// Returns the mutant that the environment names; ends the process when there is none of that name.
inline Mutant mutant_of_environment() {
  const char* wanted = std::getenv("STENO_MUTANT");
  if (wanted == nullptr || *wanted == '\0') return Mutant::none;
  if (const auto named = mutant_named(wanted)) return *named;
  std::fprintf(stderr, "STENO_MUTANT: there is no mutant '%s'\n", wanted);
  std::abort();
}

inline Mutant active_mutant = mutant_of_environment();

inline bool mutant(Mutant which) {
  return active_mutant == which;
}
#else
// Not a function of the program: objects that are compiled with mutants can be linked beside this.
consteval bool mutant(Mutant) {
  return false;
}
#endif

}  // namespace base
