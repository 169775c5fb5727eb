// Opens the log read-only and writes only the derived rows, as the stream loader of a server does.
#include "tools/benchmarks/saved_snapshots.hpp"

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {

base::Result<void> save_snapshots(const std::string& data_folder,
                                  const std::vector<base::SessionId>& sessions,
                                  base::Random& random) {
  const auto log = eventlog::open_log(data_folder, eventlog::LogMode::read_only, random);
  if (!log) return tl::unexpected(log.error());
  eventlog::BlockStore& store = *log->store;
  auto rows = eventlog::open_rocksdb_key_value_store(eventlog::LogFolder{data_folder}.index());
  if (!rows) return tl::unexpected(rows.error());
  eventlog::StreamIndex index(**rows);
  eventlog::SnapshotStore snapshots(**rows);
  if (auto ok = index.catch_up(store, store.tail()); !ok) return ok;
  for (const base::SessionId& id : sessions) {
    if (is_stopped()) return stopped();
    const std::string stream = domain::session_stream(kLogAgent, id);
    const auto loaded = eventlog::load_stream(store, index, snapshots, stream);
    if (!loaded) return tl::unexpected(loaded.error());
    if (auto ok = snapshots.save(stream, *loaded); !ok) return ok;
  }
  return {};
}

}  // namespace benchmarks
