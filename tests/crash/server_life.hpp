// The part of a server that writes, from opening its data folder to its end, in the test's own
// thread and on a disk of the test's choosing. It is sent numbered commands; what each asks for
// follows from its number alone, so that whoever looks at the log later knows what to find.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "tests/support/faulty_disk.hpp"
#include "workers/commands/command_loop.hpp"
#include "workers/server/derived_stores.hpp"
#include "workers/upkeep/log_trimming.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace crash {

using base::Position;
using base::Result;

// Commands that were answered, with the position that the answer named.
using Acknowledged = std::map<std::int64_t, Position>;

// The first command of each session opens it, the others send it prompts.
constexpr std::int64_t kSessionsOfLife = 3;
base::CommandId command_id(std::int64_t number);
std::string prompt_of_command(std::int64_t number);
class ServerLife {
 public:
  // Opens the folder as `steno serve` does, with all that is derived from the log. Errors: as of
  // open_log.
  static Result<std::unique_ptr<ServerLife>> begin(const std::string& root,
                                                   support::FaultyDisk& disk,
                                                   std::size_t write_buffer_bytes);

  // Position of the last event that was found.
  Position found() const { return found_; }
  // The record that a server has taken over. To be the first that it does.
  Result<bool> take_over();
  // Sends the commands at once and works until they are answered; answers go to `acknowledged`. A
  // number that was answered before must be answered alike. Error: the log's fate is in doubt, or
  // an answer that no correct server gives.
  Result<bool> ask(std::int64_t first, std::int64_t last, Acknowledged& acknowledged);
  // Moves all that may be moved into the folder, as a server does it that is asked for an archive.
  Result<bool> archive(const std::string& folder);
  // What an earlier life began of that and did not finish: it is taken back, or gone on with.
  Result<bool> finish_archive();
  // Copies the log into the folder, as a server does it that is asked for a backup.
  Result<bool> back_up(const std::string& folder);
  // What an earlier life began of that and did not finish: it is proved, or taken back.
  Result<bool> finish_backups();
  // Ends the session of that number, and asks for all of its words to be erased.
  Result<bool> ask_to_erase(std::int64_t session);
  // What is asked for and not completed, as the server does it: from the log, then from backups.
  Result<bool> finish_erasures();
  // A stream's state as the index and its snapshot tell it.
  Result<eventlog::LoadedStream> load(const std::string& stream);
  eventlog::BlockStore& store() { return *log_.store; }

 private:
  ServerLife(eventlog::OpenedLog log, support::FaultyDisk& disk);
  Result<bool> open_rows(const std::string& root);
  Result<bool> work(Acknowledged& acknowledged);
  Result<bool> record(domain::ServerCommand command);
  Result<bool> record_backup(const workers::BackupResult& made);
  workers::UpkeepJobs upkeep_jobs();
  Result<bool> trim(const std::string& name, const domain::NamedArchive& archive);
  workers::LogTrimming trimming() { return {*log_.store, side_->index, folder_, disk_}; }

  support::FaultyDisk& disk_;
  eventlog::OpenedLog log_;
  eventlog::LogFolder folder_;
  const Position found_;
  std::unique_ptr<eventlog::KeyValueStore> index_rows_;
  std::unique_ptr<eventlog::KeyValueStore> view_rows_;
  std::string rebuilt_;  // which rows were built anew, and why
  std::unique_ptr<workers::DerivedStores> side_;
  std::unique_ptr<eventlog::InlineLoader> loader_;
  std::unique_ptr<eventlog::InlineCommitter> committer_;
  base::SystemRandom random_;
  std::unique_ptr<eventlog::Sequencer> sequencer_;
  // Whose answers work() takes.
  struct Waiting final : workers::Asker {
    void on_answer(std::uint64_t, const workers::CommandAnswer&) override {}
  };

  Waiting asker_;
  std::unique_ptr<workers::CommandLoop> worker_;
  std::int64_t now_ = 0;
};

}  // namespace crash
