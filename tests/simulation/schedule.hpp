// The schedule of a simulated world, as data: the number of commands and every fault with its
// moment. It follows from a seed, and can be cut down, printed, kept in a file and run again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"

namespace simulation {

using base::Duration;

// Each name is also its spelling in schedules, counts and traces.
enum class FaultKind {
  kill_server,          // SIGKILL; back after `length`
  kill_server_syncing,  // the same, as soon as a block is in flight to the disk
  kill_worker,
  kill_keeper,  // of one live agent
  kill_agent,
  lose_power,   // server, workers and agents die at once; unsynced data can be lost
  stop_server,  // SIGSTOP, and SIGCONT after `length`
  stop_worker,
  stop_agent,
  stop_subscriber,  // it reads nothing for `length`
  restart_client,   // it forgets its connection and asks again under the same id
  cut_link,         // of one peer, one way or both, for `length`
  trouble_bus,      // messages are lost, doubled, delayed and reordered for `length`
  fail_write,       // the next block is not written
  tear_write,       // the next block is written in part
  fail_sync,        // the next block is written, and its sync fails
  fail_head,        // the next write of the head file fails
  fail_rows,        // the next write of the index, a snapshot or a projection fails
  fill_disk,        // nothing can be written for `length`
  jump_clock,       // the server's wall clock, by up to an hour either way
  drift_clock,      // one process's clock runs up to 5 % fast or slow for `length`
  leave_worker,     // SIGTERM: turns under way have `length` to end; then another worker comes
};

struct Fault {
  FaultKind kind = FaultKind::kill_server;
  Duration at{0};  // since the world began
  Duration length{0};
  std::int64_t choice = 0;  // the target or the form, depending on the kind; any number

  bool operator==(const Fault&) const = default;
};

struct Schedule {
  std::uint64_t seed = 1;
  std::int64_t clients = 3;
  std::int64_t commands = 16;        // of each client
  std::int64_t queue_max = 1000;     // messages that a connection holds
  std::int64_t streams_max = 100;    // kept in the server's memory
  std::int64_t inbox_max = 100'000;  // waiting in the server
  std::int64_t events_min = 200;     // clients go on until the log holds this many
  bool has_lying_locks = true;       // a held lock sometimes seems free
  // How many percent of the clients' commands are of a type (see named_commands.hpp); a type that
  // is not here is not sent. Without EraseContent no text expires either, and without AnswerAsk no
  // agent asks.
  std::map<std::string, std::int64_t> shares;
  std::vector<Fault> faults;  // ascending by time

  bool operator==(const Schedule&) const = default;
};

Schedule make_schedule(std::uint64_t seed);

// One line for each setting and each fault; parse_schedule(to_text(s)) == s. Error: invalid, with
// the line.
std::string to_text(const Schedule& schedule);
base::Result<Schedule> parse_schedule(std::string_view text);

std::string_view name_of(FaultKind kind);
constexpr int kFaultKinds = static_cast<int>(FaultKind::leave_worker) + 1;

// Returns "+1.234567 kill_server for 0.500000 choice 7".
std::string describe(const Fault& fault);

}  // namespace simulation

template <>
struct base::EnumNames<simulation::FaultKind> {
  static constexpr std::string_view kNames[] = {
      "kill_server", "kill_server_syncing", "kill_worker",    "kill_keeper",
      "kill_agent",  "lose_power",          "stop_server",    "stop_worker",
      "stop_agent",  "stop_subscriber",     "restart_client", "cut_link",
      "trouble_bus", "fail_write",          "tear_write",     "fail_sync",
      "fail_head",   "fail_rows",           "fill_disk",      "jump_clock",
      "drift_clock", "leave_worker"};
};
