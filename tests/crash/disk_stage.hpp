// A data folder on a disk of its own, what was told of the log in it, and what must then hold of it
// whatever happened to the disk.
#pragma once

#include "tests/crash/server_life.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temp_folder.hpp"

namespace crash {

// How a process ends in one of its disk operations. After a kill the page cache is still there.
enum class End { loses_power, tears, is_killed };
constexpr End kEnds[] = {End::loses_power, End::tears, End::is_killed};
constexpr const char* kEndNames[] = {"power lost", "power lost, torn", "killed"};
// So small that some twenty commands flush and compact.
constexpr std::size_t kSmallBuffer = 64 << 10;

struct DiskStage {
  explicit DiskStage(std::uint64_t seed) : disk(seed, folder.file("removed")) {}

  support::TempFolder folder;
  support::FaultyDisk disk;
  Acknowledged acknowledged;
  Position told;  // that the log reaches so far
  std::string root() const { return folder.file("data"); }
};

// The process has ended so; another one may begin. No file of it may be open.
void end(DiskStage& stage, End how);

// One process on it: opens, takes over, and is asked the commands, in blocks of growing size.
// Error: the first thing that went wrong; what was acknowledged until then is noted.
Result<bool> live(DiskStage& stage, std::int64_t first, std::int64_t last,
                  std::size_t write_buffer_bytes = eventlog::kWriteBufferBytes);

// Whoever only looks, and then the next server, finds the log whole, with everything that was
// acknowledged or told, and nothing in part; the server goes on, and is asked all commands up to
// `last` and two more. Error: the first thing that is wrong.
Result<bool> check_and_go_on(DiskStage& stage, std::int64_t last);

}  // namespace crash
