// How the log in a data folder is opened: by the one server that writes it, or by
// anybody who reads it, also beside that server.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/folder/archived_base.hpp"
#include "eventlog/folder/data_layout.hpp"
#include "eventlog/log/sequencer.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/proof/verify.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "eventlog/store/head_file.hpp"

namespace eventlog {

enum class LogMode { read_write, read_only };

struct OpenedLog {
  std::optional<base::FileLock> lock;  // read_write; freed last
  std::unique_ptr<BlockStore> store;   // read_only: fixed at this moment, nothing can be appended
  std::unique_ptr<HeadFile> head;      // read_write
  // Of an empty log: a fresh log id and epoch {1, random} (read_write), or not set (read_only).
  LogTail tail;
  bool is_new = false;            // the log is empty: an EpochStarted is to be its first event
  std::optional<LogBase> base{};  // of a log whose beginning was archived
  LaterErasures later{};          // read_only: of a backup or of archives
};

struct LogOptions {
  Disk& disk = system_disk();
  std::size_t write_buffer_bytes = kWriteBufferBytes;
  bool is_being_restored = false;  // by the caller
  // Of read_only: folders of archives, which are then read as the log's beginning.
  std::vector<std::string> archives{};
};

// read_write makes the folder if need be, takes its lock, and opens for appending. read_only works
// also while a server has the log open: it shows what was acknowledged, and writes nothing into the
// folder. In both cases the log's end is proved when it returns (see log_end.hpp).
// Errors: in_use, naming who has it; refused when the folder may not be written or is another
// user's; invalid when files of something else lie in it, of read_write also when no writer can
// follow (check_numbers); not_found when there is no log to read; wrong_log for a newer format or
// the head of another log; damaged, naming the missing positions.
Result<OpenedLog> open_log(const std::string& root, LogMode mode, base::Random& random,
                           const LogOptions& options = {});

// A log opened for reading without any proof, for whoever is about to prove all of it.
struct UnprovedLog {
  std::unique_ptr<BlockStore> store;  // its last block may be damaged
  std::optional<Checkpoint> head;
  LaterErasures later;                      // of a backup or of archives
  std::optional<LogBase> base{};            // of a log whose beginning was archived
  std::optional<base::Error> base_error{};  // or its rows: cannot be read, or not of this log
  // The head file cannot be read, is missing though there are events, or may have been later.
  std::optional<base::Error> head_error;
  // The store is damaged as a whole; what is shown is what could be found all the same, which may
  // be nothing.
  std::optional<base::Error> store_error;
  std::vector<std::string> foreign;  // see foreign_files
  bool is_in_use = false;            // a server has it open; what is shown ends at the head
  bool is_torn = false;              // the write-ahead log ends in bytes that are no record
};

// Errors as of read_only, without those of the proof and of damage; those of chain_stores where
// `archives` are given.
Result<UnprovedLog> open_unproved_log(const std::string& root,
                                      const std::vector<std::string>& archives = {});

// What verify_log is to know of the log besides its blocks and its head. Lives as long as the log.
VerifyBesides besides_of(const UnprovedLog& log);

}  // namespace eventlog
