// Makes a new log of what a damaged one still proves. The damaged one is read only, file by file.
//
// The good prefix, which is proved block by block from the first one, is copied as it is; then a
// new epoch begins. Whoever has seen more of the old history than that has a checkpoint that the
// new log does not hold, and refuses it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/store/block.hpp"

namespace eventlog {

// How a block behind the first hole proves that it belongs to the log.
enum class RestProof {
  head,   // it is chained back from what the head file names
  chain,  // it is chained with another block that is there
  alone,  // by its own checksum and the log's id
};

// A block that is whole and has no place in the new log, with the contents that are whole.
struct RestBlock {
  RestProof proof = RestProof::alone;
  SealedBlock block;
};

struct MissingEvents {
  Position from;
  Position through;
  bool is_in_rest = false;  // they are among the rest; otherwise nowhere
};

struct MissingVersions {
  std::string stream;
  base::StreamVersion from;
  base::StreamVersion through;
};

struct Salvaged {
  Position kept;  // last event of the good prefix
  std::int64_t kept_blocks = 0;
  Checkpoint old_head;                 // as far as it is known how far the old log went
  Checkpoint end;                      // of the new log
  std::vector<MissingEvents> missing;  // of the old log in the new one, ascending
  // Of streams of which there are later events in the rest: what is nowhere.
  std::vector<MissingVersions> missing_versions;
  std::vector<Position> contents_lost;  // of events that were kept; on the record as lost
  std::int64_t rest_blocks = 0;
};

struct SalvageOptions {
  std::string to;  // the new data folder: not there, or empty
  // Folders of archives, whose files are read as the log's beginning.
  std::vector<std::string> archives{};
  // Each block of the rest, ascending. Called before the good prefix is copied.
  std::function<Result<bool>(const RestBlock&)> take_rest;
  // Share of the work that is done, of 1,000.
  std::function<void(std::int64_t)> progress;
};

// Errors: conflict when `to` holds something; in_use when a server has the old log open; not_found,
// or damaged where there is a head file, when there is no whole block; not_found when the log's
// beginning was archived and no archive is given, or one of them is not there; wrong_log when the
// log is of a newer format; refused, io.
Result<Salvaged> salvage_log(const std::string& from, const SalvageOptions& options,
                             base::Random& random);

}  // namespace eventlog
