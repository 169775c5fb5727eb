// What can become of a file: the ways in which the files of a log are damaged for tests. Damage is
// data, so that what a failed test prints is what it did.
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
  rolled_far_back,  // to the oldest
};
constexpr std::size_t kHarms = 10;

struct Damage {
  std::string file;  // relative to the data folder
  Harm harm = Harm::emptied;
};

std::string describe(const std::vector<Damage>& damages);

// Where the records of one of RocksDB's logs end, but for the last; see write_ahead_log.cpp.
std::vector<std::size_t> record_ends(const std::string& bytes);

// The files that a log is made of: everything below log/, and the head file. Relative, ascending.
std::vector<std::string> files_of_log(const std::string& folder);

// A copy of a data folder. Table files, which nobody changes, are linked.
void copy_folder(const std::string& from, const std::string& to);

// Data folders of one log: as it is, and as it was at two moments before.
struct Copies {
  std::string now;
  std::string before;
  std::string long_before;
};

// Does it to the file in `folder`, which is a copy of `copies.now`. False: it makes no difference.
bool inflict(const Damage& damage, const Copies& copies, const std::string& folder);

// Each harm of each file.
std::vector<std::vector<Damage>> single_damages(const std::vector<std::string>& files);
// Of a proper subset of at least two of the files, each in some way.
std::vector<Damage> random_damages(const std::vector<std::string>& files, base::Random& random);
// Those of the numbers from `first` (at least 1) on: each single one in turn, then random ones,
// each by its number.
std::vector<std::vector<Damage>> numbered_damages(const std::vector<std::string>& files,
                                                  std::uint64_t first, std::size_t count);

}  // namespace crash
