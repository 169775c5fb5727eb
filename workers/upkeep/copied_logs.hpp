// The backups and archives that erasures must reach.
#pragma once

#include <map>
#include <memory>

#include "eventlog/copies/erasable_copy.hpp"
#include "eventlog/domain/server/server.hpp"
#include "eventlog/log/stream_index.hpp"

namespace workers {

// Where copies of a log are made from; all outlive them.
struct CopySource {
  eventlog::BlockStore& log;
  eventlog::StreamIndex& index;  // of the log
  eventlog::Disk& disk;
};

// Returns all that can hold texts. One that is away is among them, and fails to be reached.
std::vector<std::unique_ptr<eventlog::ErasableCopy>> copied_logs(
    const CopySource& source, const std::map<std::string, domain::NamedBackup>& backups,
    const std::map<std::string, domain::NamedArchive>& archives);

}  // namespace workers
