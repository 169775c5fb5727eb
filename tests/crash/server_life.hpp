// The life of the product's server in the test's own thread, on a disk that the test chooses. The
// server is put together as in `steno serve`, with a bus in memory and a clock that the test moves.
// It gets numbered commands. The number alone decides what a command asks for, so a later reader of
// the log knows what must be there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bus/memory_bus.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/told_lease_locks.hpp"
#include "workers/client/server_client.hpp"
#include "workers/server/server_assembly.hpp"

namespace crash {

using base::Position;
using base::Result;

// Commands that were answered, with the position that the answer named.
using Acknowledged = std::map<std::int64_t, Position>;

// Each of the first commands opens a session. The others below kFirstOpening send prompts to these.
constexpr std::int64_t kSessionsOfLife = 3;
// Each command from this number on opens a session of its own.
constexpr std::int64_t kFirstOpening = 500;
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
  // Works until the record says that this server has taken over. Must be called first.
  Result<void> take_over();
  // Sends the commands at once and works until they are answered; answers go to `acknowledged`. A
  // number that was answered before must be answered alike. Error: the log's fate is in doubt, or
  // an answer that no correct server gives.
  Result<void> ask(std::int64_t first, std::int64_t last, Acknowledged& acknowledged);
  // Ends all sessions, then has as much of the log as possible archived in the folder.
  Result<void> archive(const std::string& folder);
  // Works until an archive that an earlier life began is abandoned, or the log is trimmed.
  Result<void> finish_archive();
  // Has the log copied into the folder.
  Result<void> back_up(const std::string& folder);
  // Works until a backup that an earlier life began is proved or abandoned.
  Result<void> finish_backups();
  // Ends the session of that number, and asks for all of its words to be erased.
  Result<void> ask_to_erase(std::int64_t session);
  // Works until all requested content is erased from the log and from backups.
  Result<void> finish_erasures();
  // Returns a stream's state, read through the index and its snapshot.
  Result<eventlog::LoadedStream> load(const std::string& stream);
  eventlog::BlockStore& store() { return *log_.store; }

 private:
  ServerLife(eventlog::OpenedLog log, support::FaultyDisk& disk);
  Result<void> assemble(const std::string& root);
  // Runs one duty cycle of the bus, the client and the server. Moves the clock by a millisecond, or
  // to the next timer if nothing was done. Error: the process has died, or must stop.
  Result<void> step();
  // Steps until `holds` returns true. Error timeout: it does not within two minutes of the clock.
  Result<void> work_until(const std::string& what, const std::function<bool()>& holds);
  // Works until the reply to the request that was started. A reply that is not ok is an error.
  Result<void> answered(const Result<base::CommandId>& started);
  Result<void> command(const domain::ServerCommand& command);
  Result<void> command(std::int64_t number, base::SessionId session,
                       const domain::Command& command);
  Result<void> kill(std::int64_t number, base::SessionId session);
  const domain::ServerState& state() {
    return assembly_->server().commands().of<domain::ServerStream>();
  }

  support::FaultyDisk& disk_;
  eventlog::OpenedLog log_;
  eventlog::LogFolder folder_;
  const Position found_;
  std::unique_ptr<eventlog::KeyValueStore> index_rows_;
  std::unique_ptr<eventlog::KeyValueStore> view_rows_;
  std::string rebuilt_;  // which rows were built anew, and why
  base::SystemRandom random_;
  base::SeededRandom bus_random_{1};
  support::ManualClock clock_;
  support::ToldLeaseLocks locks_;
  bus::MemoryBus bus_{bus_random_};
  std::unique_ptr<bus::ServerSocket> command_socket_;
  std::unique_ptr<bus::ServerSocket> worker_socket_;
  std::unique_ptr<bus::PublisherSocket> feed_socket_;
  std::optional<workers::ServerAssembly> assembly_;
  std::unique_ptr<bus::ClientSocket> client_socket_;
  std::optional<workers::ServerClient> client_;
};

}  // namespace crash
