// A log of a given length to be damaged, in its data folder and in two older copies of it. It knows
// the undamaged content, against which later findings are checked.
#pragma once

#include <string>
#include <vector>

#include "eventlog/store/block.hpp"
#include "tests/crash/damage.hpp"
#include "tests/support/temp_folder.hpp"

namespace crash {

struct KnownBlock {
  base::Position first;
  base::Position last;
  base::Hash hash;
};

class DamagedLog {
 public:
  // Blocks lie in table files and in the write-ahead log, contents beside them and in chunks. A log
  // of a thousand events or more begins with a random history of some hundreds.
  DamagedLog(std::int64_t events, std::uint64_t seed);

  const Copies& copies() const { return copies_; }
  const std::vector<std::string>& files() const { return files_; }
  const std::vector<KnownBlock>& blocks() const { return blocks_; }
  const eventlog::Checkpoint& end() const { return end_; }
  std::int64_t contents() const { return contents_; }

  // Returns a fresh copy with these damages; empty: none of them makes a difference. Each call
  // replaces the copy before.
  std::string damaged(const std::vector<Damage>& damages);

 private:
  void write(std::int64_t events, std::uint64_t seed, int stage);
  void learn();

  support::TempFolder temporary_;
  Copies copies_{temporary_.file("now"), temporary_.file("before"), temporary_.file("long_before")};
  std::int64_t numbers_ = 0;  // events that do not come from the history
  std::vector<std::string> files_;
  std::vector<KnownBlock> blocks_;
  eventlog::Checkpoint end_;
  std::int64_t contents_ = 0;
};

}  // namespace crash
