// A data folder on a disk of its own, with everything that was told about its log. That must hold
// whatever happened to the disk.
#pragma once

#include "tests/crash/server_life.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temp_folder.hpp"

namespace crash {

// The ways a process ends in one of its disk operations. After a kill the page cache survives.
enum class End { loses_power, tears, is_killed };
constexpr End kEnds[] = {End::loses_power, End::tears, End::is_killed};
constexpr const char* kEndNames[] = {"power lost", "power lost, torn", "killed"};
// Small enough that some twenty commands cause flushes and compactions.
constexpr std::size_t kSmallBuffer = 64 << 10;

struct DiskStage {
  explicit DiskStage(std::uint64_t seed) : disk(seed, folder.file("removed")) {}

  support::TempFolder folder;
  support::FaultyDisk disk;
  Acknowledged acknowledged;
  Position told;  // the log was said to reach this far
  std::string root() const { return folder.file("data"); }
};

// Ends the process in this way; another one can then begin. No file may be open here.
void end(DiskStage& stage, End how);

// Runs one process: it opens the log, takes over, and is asked the commands, in blocks of growing
// size. Error: the first failure; everything acknowledged until then is noted.
Result<void> live(DiskStage& stage, std::int64_t first, std::int64_t last,
                  std::size_t write_buffer_bytes = eventlog::kWriteBufferBytes);

// Checks that a reader, and then the next server, finds the log whole: everything acknowledged or
// told, and no command in part. The server then goes on: it is asked all commands up to `last` and
// two more. Error: the first thing that is wrong.
Result<void> check_and_go_on(DiskStage& stage, std::int64_t last);

}  // namespace crash
