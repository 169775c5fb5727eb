// The offline commands `steno replay …`: they read a data folder, also one that a server has open,
// and write nothing into it. Results go to `out`, what went wrong and progress to `err`; progress
// only when that is a terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace steno {

struct ReplayArguments {
  std::string folder;      // the data folder
  std::string at;          // state, diff: a position, or a time (see replay_state); empty: the end
  std::string from;        // diff: the same, of the earlier of the two
  std::string other;       // diff: the other log's data folder
  std::string session;     // state, diff: id, alias, name, prefix or agent's session id; empty: all
  std::string agent;       // state, diff: only this agent's sessions; empty: all agents'
  std::string projection;  // rebuild: its name; empty: all. diff: the one to compare
  std::string checkpoint;  // verify: as it prints one; empty: none
  std::string anchor;      // verify: a file; empty: none
  std::vector<std::string> keys;  // verify: fingerprints of the keys that are believed; none: all
  std::vector<std::string> archives;  // folders: read as the log's beginning
  std::int64_t to = 0;                // rebuild: last position to fold; 0: see replay_rebuild
  std::string target;                 // salvage, import: the new data folder
  std::string file;                   // import: the lines to read; "-": stdin
  bool with_content = true;           // export
  bool is_exact = false;              // import: begin no epoch
  bool is_json = false;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Of a log whose beginning was archived, verify and rebuild begin with what its anchor says, unless
// `archives` are given; the others need these, and return 3 without, saying where they are.

// Proves the whole log (eventlog/proof/verify.hpp), also against `checkpoint`, the `anchor` and
// what the stream index and the projections have seen of it, and prints what it holds and each
// problem. Returns 0 when it is whole, 9 when something is missing or damaged, 10 when only the
// write-ahead log's end is torn and nothing that was acknowledged is missing, 11 for another log or
// a newer format, 2 for a `checkpoint` that is none.
int replay_verify(const ReplayArguments& arguments);

// Prints the states of the sessions as they were once the event at `at` had happened, in the order
// of their opening. `at` is a position; or a time, which means the last event that is not later:
// microseconds since 1970 (14 digits or more), or ISO 8601 in UTC, "2026-11-20T12:00:00.5Z" or
// shorter. The same log and arguments give the same bytes. Returns 0; 2 for an `at` or a reference
// that cannot be read or fits several sessions; 3 when there is no such position or session; 9 when
// an event before it is missing or damaged.
int replay_state(const ReplayArguments& arguments);

// Builds projections from the log's first event in a temporary folder, and compares them with the
// live rows: at the live rows' checkpoint, or at `to`. Prints a line for each:
//   digest NAME live=<hex16> rebuilt=<hex16> equal
// or `DIFFERENT`; or `live=absent` without a verdict, when there are no live rows at that position.
// Returns 0; 3 when there is no such projection or position; 9 when one is different, or the log
// lacks events that the live rows hold.
int replay_rebuild(const ReplayArguments& arguments);

// Makes a new log in `target` of what a damaged one proves (eventlog/salvage/salvage.hpp), and
// prints what is missing. Whole blocks that have no place in it become lines of
// `target`-rest.jsonl. Returns 0 when nothing is missing, 9 when the new log is made and something
// is; 2 without a target, 3 when there is nothing to salvage, 4 when the target holds something, 11
// when the log is in use or of a newer format.
int replay_salvage(const ReplayArguments& arguments);

// Prints the whole log as JSON lines. Returns 0; 9 when something of it is missing or damaged, and
// then the last line is missing, too.
int replay_export(const ReplayArguments& arguments);

// Makes a log in `target` of what replay_export has printed: the same blocks, and behind them a new
// epoch, unless `is_exact`. Returns 0; 2 when a line is wrong, which is named; 4 when the target
// holds something.
int replay_import(const ReplayArguments& arguments);

// Prints what differs: between the states of the sessions at `from` and at `at`; or between the
// logs in `folder` and `other`, the first place where they part and how; or between the live rows
// of `projection` and those that are folded from the log, row by row. Returns 0 when nothing does,
// 1 when something does, 2 when it is not said what to compare, otherwise as replay_state and
// replay_rebuild.
int replay_diff(const ReplayArguments& arguments);

// Prints what the log is made of: events and bytes by type and by agent, blocks, contents, chunks,
// sessions, epochs, the time from first to last. Returns 0; 9 when an event is missing.
int replay_stats(const ReplayArguments& arguments);

}  // namespace steno
