// Opens the log in a data folder: for the one server that writes it, or for any reader, even beside
// that server.
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
  // For an empty log: a fresh log id and epoch {1, random} (read_write), or not set (read_only).
  LogTail tail;
  bool is_new = false;            // the log is empty: its first event must be an EpochStarted
  std::optional<LogBase> base{};  // set if the log's beginning was archived
  LaterErasures later{};          // read_only: of a backup or of archives
};

struct LogOptions {
  Disk& disk = system_disk();
  std::size_t write_buffer_bytes = kWriteBufferBytes;
  bool is_being_restored = false;  // by the caller
  // For read_only: folders of archives, which are read as the log's beginning.
  std::vector<std::string> archives{};
};

// read_write makes the folder if it is missing, takes its lock, and opens for appending. read_only
// also works while a server has the log open: it shows acknowledged events, and writes nothing into
// the folder. In both cases the log's end is proved on return (see tail_proof.hpp).
// Errors: in_use, naming the process that has it. refused when the folder is not accessible or is
// another user's. invalid when files of something else lie in it; for read_write also when no
// writer can follow (check_numbers). not_found when there is no log to read. wrong_log for a newer
// format or the head of another log. damaged, naming the missing positions. io.
Result<OpenedLog> open_log(const std::string& root, LogMode mode, base::Random& random,
                           const LogOptions& options = {});

// A log opened for reading without any proof, for a caller that will prove all of it.
struct UnprovedLog {
  std::unique_ptr<BlockStore> store;  // its last block can be damaged
  std::optional<Checkpoint> head;
  LaterErasures later;                      // of a backup or of archives
  std::optional<LogBase> base{};            // set if the log's beginning was archived
  std::optional<base::Error> base_error{};  // the base or its rows are unreadable or of another log
  // The head file is unreadable, is missing though there are events, or may have named a later
  // head.
  std::optional<base::Error> head_error;
  // The store as a whole is damaged. `store` shows the part that could still be read, possibly
  // nothing.
  std::optional<base::Error> store_error;
  std::vector<std::string> foreign;  // see foreign_files
  bool is_in_use = false;            // a server has it open; what is shown ends at the head
  bool is_torn = false;              // the write-ahead log ends in bytes that are no record
};

// Errors: as for read_only, except those of the proof and of damage; with `archives` also those of
// chain_stores.
Result<UnprovedLog> open_unproved_log(const std::string& root,
                                      const std::vector<std::string>& archives = {});

// Returns the facts that verify_log needs besides blocks and head. They point into `log`, which
// must outlive them.
VerifyBesides besides_of(const UnprovedLog& log);

}  // namespace eventlog
