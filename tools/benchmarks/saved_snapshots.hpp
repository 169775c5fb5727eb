// Leaves the state of a server that had sessions in memory and evicted them: a complete stream
// index, and a snapshot of each session, made by the product's own loader.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/ids.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/result.hpp"

namespace benchmarks {

// `sessions` are kLogAgent's, in the log of the folder. No server may have the log open.
base::Result<void> save_snapshots(const std::string& data_folder,
                                  const std::vector<base::SessionId>& sessions,
                                  base::Random& random);

}  // namespace benchmarks
