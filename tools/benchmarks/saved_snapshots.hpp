// What a server leaves behind that had sessions in memory and evicted them: the stream index as far
// as the log, and a snapshot of each of them, made by the product's own loader.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/ids.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/result.hpp"

namespace benchmarks {

// Sessions of kLogAgent in the log of the folder, which no server has open.
base::Result<bool> save_snapshots(const std::string& data_folder,
                                  const std::vector<base::SessionId>& sessions,
                                  base::Random& random);

}  // namespace benchmarks
