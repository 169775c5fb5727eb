// Makes a new log of the part of a damaged one that still proves itself. The damaged log is only
// read, file by file.
//
// The good prefix, proved block by block from the first one, is copied as it is; then a new epoch
// begins. A reader who has seen more of the old history than that has a checkpoint that the new log
// does not hold, and refuses it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/store/block.hpp"

namespace eventlog {

// How a block behind the first hole proves that it belongs to the log.
enum class RestProof {
  head,   // it is chained back from the block that the head file names
  chain,  // it is chained with another block that was found
  alone,  // only by its own checksum and the log's id
};

// A whole block that has no place in the new log, with those of its contents that are whole.
struct RestBlock {
  RestProof proof = RestProof::alone;
  SealedBlock block;
};

struct MissingEvents {
  Position from;
  Position through;
  bool is_in_rest = false;  // they are among the rest; otherwise they are lost
};

struct MissingVersions {
  std::string stream;
  base::StreamVersion from;
  base::StreamVersion through;
};

struct Salvaged {
  Position kept;  // last event of the good prefix
  std::int64_t kept_blocks = 0;
  Checkpoint old_head;                 // the old head file's; position 0: unknown
  Checkpoint end;                      // of the new log
  std::vector<MissingEvents> missing;  // events of the old log that the new one lacks, ascending
  // Versions that were found nowhere, of streams with later events in the rest.
  std::vector<MissingVersions> missing_versions;
  std::vector<Position>
      contents_lost;  // positions of kept events without content, recorded as lost
  std::int64_t rest_blocks = 0;
  // Sessions that two agents had under one id: those under way are ended in the new log.
  std::vector<base::SessionId> doubled{};
};

struct SalvageOptions {
  std::string to;  // the new data folder: missing or empty
  // Folders of archives, whose files are read as the log's beginning.
  std::vector<std::string> archives{};
  // Takes each block of the rest, ascending. Called before the good prefix is copied.
  std::function<Result<void>(const RestBlock&)> take_rest;
  // Called with the share of the work that is done, of 1,000.
  std::function<void(std::int64_t)> progress;
};

// Errors: conflict when `to` holds something. in_use when a server has the old log open. No whole
// block was found: damaged if there is a head file, else not_found. not_found when the log's
// beginning was archived and no archive is given, or a given one is missing. wrong_log when the log
// is of a newer format, when no block is of the head file's log, or when an archive is of another
// log. refused, io.
Result<Salvaged> salvage_log(const std::string& from, const SalvageOptions& options,
                             base::Random& random);

}  // namespace eventlog
