// The offline commands `steno replay …`. They read a data folder, also one that a server has open,
// and write nothing into it. Results go to `out`; errors and progress go to `err`, progress only if
// that is a terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace steno {

struct ReplayArguments {
  std::string folder;      // the data folder
  std::string at;          // state, diff: a position or a time (see replay_state); empty: the end
  std::string from;        // diff: the same, for the earlier of the two
  std::string other;       // diff: the other log's data folder
  std::string session;     // state, diff: id, alias, name, prefix or agent's session id; empty: all
  std::string agent;       // state, diff: only this agent's sessions; empty: all agents'
  std::string projection;  // rebuild: its name; empty: all. diff: the one to compare
  std::string checkpoint;  // verify: in the form that it prints; empty: none
  std::string anchor;      // verify: a file; empty: none
  std::vector<std::string> keys;      // verify: fingerprints of accepted keys; empty: all
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

// If a log's beginning was archived and `archives` are not given: verify and rebuild begin at its
// anchor. State, stats and diff of positions show the rest, and return 3 for an earlier position.
// Export, salvage and diff of two logs return 3. All but salvage say where the archives are.

// Proves the whole log (eventlog/proof/verify.hpp), also against `checkpoint`, the `anchor`, the
// stream index and the projections' rows. Prints the log's content in numbers and each problem.
// Returns:
//   0   it is whole
//   2   `checkpoint` is not a checkpoint
//   9   something is missing or damaged
//   10  only the end of the write-ahead log is torn; nothing acknowledged is missing
//   11  it is another log, or of a newer format
int replay_verify(const ReplayArguments& arguments);

// Prints the states of the sessions right after the event at `at`, in the order of their opening.
// `at` is a position, or a time that stands for the last event not later. A time is microseconds
// since 1970 (14 digits or more), or ISO 8601 in UTC: "2026-11-20T12:00:00.5Z" or shorter. The same
// log and arguments give the same bytes. Returns:
//   0   ok
//   2   `at` or the reference cannot be read, or the reference fits several sessions
//   3   there is no such position or session
//   9   an event before it is missing or damaged
int replay_state(const ReplayArguments& arguments);

// Builds projections from the log's first event in a temporary folder, and compares them with the
// live rows: at the live rows' checkpoint, or at `to`. Prints a line for each:
//   digest NAME live=<hex16> rebuilt=<hex16> equal
// or `DIFFERENT`, or `live=absent` without a verdict if there are no live rows at that position.
// Returns 0; 3 if there is no such projection or position; 9 if one is different, or the log lacks
// events that the live rows hold.
int replay_rebuild(const ReplayArguments& arguments);

// Makes a new log in `target` from the proved parts of a damaged one
// (eventlog/salvage/salvage.hpp), and prints what is missing. Whole blocks that have no place in it
// become lines of `target`-rest.jsonl. Returns:
//   0   nothing is missing
//   2   there is no target
//   3   there is nothing to salvage
//   4   the target holds something
//   9   the new log is made, and something is missing
//   11  the log is in use or of a newer format
int replay_salvage(const ReplayArguments& arguments);

// Prints the whole log as JSON lines. Returns 0, or 9 if something is missing or damaged; the last
// line is then missing, too.
int replay_export(const ReplayArguments& arguments);

// Makes a log in `target` from the output of replay_export: the same blocks, then a new epoch
// unless `is_exact`. Returns 0; 2 if a line is wrong, and names it; 4 if the target holds
// something.
int replay_import(const ReplayArguments& arguments);

// Prints the differences between one of three pairs:
//   the states of the sessions at `from` and at `at`
//   the logs in `folder` and `other`: the first place where they part, and how
//   the live rows of `projection` and those folded from the log, row by row
// Returns 0 if there are none, 1 if there are some, 2 if the arguments do not choose one pair,
// otherwise as replay_state and replay_rebuild.
int replay_diff(const ReplayArguments& arguments);

// Prints totals of the log: events and bytes by type and by agent, blocks, contents, chunks,
// sessions, epochs, the time from first to last. Returns 0; 9 if an event is missing.
int replay_stats(const ReplayArguments& arguments);

}  // namespace steno
