// The folder that a log lives in, and how it is opened: by the one server that writes it, or by
// anybody who reads it, also beside that server.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/head_file.hpp"
#include "eventlog/sequencer.hpp"

namespace eventlog {

// Where things lie below a data folder. All folders are 0700.
struct LogFolder {
  std::string root;

  std::string log() const { return root + "/log"; }      // the block store: RocksDB
  std::string head() const { return root + "/head"; }    // how far the log was acknowledged
  std::string index() const { return root + "/index"; }  // stream index and snapshots
  std::string views() const { return root + "/views"; }  // the projections' rows
  std::string lock() const { return root + "/lock"; }    // held by the process that writes
  // Hard links to the write-ahead log as the last read-write open found it, because opening may
  // remove what a damaged one still holds. They go once the log is proved whole.
  std::string evidence() const { return root + "/evidence"; }
};

// How much of the log's end is proved at each opening, in bytes of facts.
constexpr std::size_t kProvedBytes = 4 << 20;

enum class LogMode { read_write, read_only };

struct OpenedLog {
  std::optional<base::FileLock> lock;     // read_write; freed last
  std::unique_ptr<BlockStore> store;  // read_only: fixed at this moment, nothing can be appended
  std::unique_ptr<HeadFile> head;     // read_write
  // Of an empty log: a fresh log id and epoch {1, random} (read_write), or not set (read_only).
  LogTail tail;
  bool is_new = false;  // the log is empty: an EpochStarted is to be its first event
};

// read_write makes the folder if need be, takes its lock, and opens for appending. read_only works
// also while a server has the log open: it shows what was acknowledged, and writes nothing into the
// folder. In both cases, when it returns, the last kProvedBytes of blocks are proved to be whole
// and chained, the head file's block to be the one that the log holds, and nothing to be missing
// before it. A log that goes on behind its head is whole: the server died before it could say so.
// Errors: in_use, naming who has it; refused when the folder may not be written or is another
// user's; invalid when files of something else lie in it; not_found when there is no log to read;
// wrong_log for a newer format or the head of another log; damaged, naming the missing positions.
Result<OpenedLog> open_log(const std::string& root, LogMode mode, base::Random& random);

// A log opened for reading without any proof, for whoever is about to prove all of it.
struct UnprovedLog {
  std::unique_ptr<BlockStore> store;  // its last block may be damaged
  std::optional<Checkpoint> head;
  std::optional<base::Error> head_error;  // the head file cannot be read
  bool is_in_use = false;                 // a server has it open; what is shown ends at the head
  bool is_torn = false;                   // the write-ahead log ends in bytes that are no record
};

// Errors as of read_only, without those of the proof; damaged when the store cannot be opened.
Result<UnprovedLog> open_unproved_log(const std::string& root);

}  // namespace eventlog
