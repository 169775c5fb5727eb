// The ways in which tests damage the files of a log. Damage is data, so a failed test prints
// exactly what it did.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/random.hpp"

namespace crash {

enum class Harm {
  emptied,
  removed,
  cut_in_half,
  cut_at_record,  // at the end of a record of RocksDB's logs, or of a block elsewhere
  first_bit_flipped,
  middle_bit_flipped,
  last_bit_flipped,
  tail_zeroed,
  rolled_back,      // to an older copy of the file
  rolled_far_back,  // to the oldest copy
};
constexpr std::size_t kHarms = 10;

struct Damage {
  std::string file;  // relative to the data folder
  Harm harm = Harm::emptied;
};

std::string describe(const std::vector<Damage>& damages);

// Returns the ends of all records but the last in one of RocksDB's logs; see write_ahead_log.cpp.
std::vector<std::size_t> record_ends(const std::string& bytes);

// Returns the files of a log: everything in log/, and the head file. Relative paths, ascending.
std::vector<std::string> files_of_log(const std::string& folder);

// Copies a data folder's log and head file. Table files never change, so they are linked.
void copy_folder(const std::string& from, const std::string& to);

// Data folders of one log: as it is now, and as it was at two earlier moments.
struct Copies {
  std::string now;
  std::string before;
  std::string long_before;
};

// Damages the file in `folder`, a copy of `copies.now`. False: the damage makes no difference.
bool inflict(const Damage& damage, const Copies& copies, const std::string& folder);

// Returns each harm of each file, one at a time.
std::vector<std::vector<Damage>> single_damages(const std::vector<std::string>& files);
// Returns random damage to at least two of the files, but not to all of them.
std::vector<Damage> random_damages(const std::vector<std::string>& files, base::Random& random);
// Returns `count` damages with the numbers from `first` (at least 1) on. The first numbers are the
// single damages in order; each later one is random, drawn from its number.
std::vector<std::vector<Damage>> numbered_damages(const std::vector<std::string>& files,
                                                  std::uint64_t first, std::size_t count);

}  // namespace crash
