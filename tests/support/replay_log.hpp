// A log on disk for tests of the replay commands, and calls of those commands on it.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "eventlog/copies/erase.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "projections/projections.hpp"
#include "tests/support/history.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/replay_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace support {

using base::Position;
using steno::ReplayArguments;

// A data folder whose log holds a random history, written by a sequencer into RocksDB.
struct ReplayLog {
  support::TemporaryFolder temporary;
  eventlog::LogFolder folder{temporary.file("data")};
  base::SeededRandom random{3};
  support::History history;
  eventlog::Checkpoint head;

  explicit ReplayLog(std::uint64_t seed = 5) : history(seed, {200, 12, 8}) { write(); }

  ReplayArguments arguments(bool is_json = false) const {
    ReplayArguments all;
    all.folder = folder.root;
    all.is_json = is_json;
    return all;
  }
  Answer verify(bool is_json = false) const {
    return run(steno::replay_verify, arguments(is_json));
  }
  Answer state(const std::string& at, const std::string& session = {}, bool is_json = true) const {
    auto wanted = arguments(is_json);
    wanted.at = at;
    wanted.session = session;
    return run(steno::replay_state, wanted);
  }
  Answer rebuild(const std::string& projection = {}, std::int64_t to = 0) const {
    auto wanted = arguments();
    wanted.projection = projection;
    wanted.to = to;
    return run(steno::replay_rebuild, wanted);
  }

  // Erases a content as an erasure does in a copy, without an event that says so. Returns the
  // stream and version of that content.
  std::pair<std::string, base::StreamVersion> erase_from_copy() const {
    auto store = *eventlog::open_rocksdb_store({folder.log()});
    const auto events = *eventlog::read_events(*store, {1}, store->tail(), {SIZE_MAX, true});
    const auto early = std::find_if(events.begin(), events.end(),
                                    [](const auto& event) { return event.content.has_value(); });
    const domain::Envelope& envelope = early->envelope;
    const domain::VersionRanges erased{{envelope.version, envelope.version}};
    auto rows = eventlog::make_memory_key_value_store();
    eventlog::StreamIndex index(*rows);
    eventlog::ScrubScope scope;
    const bool is_done = index.catch_up(*store, store->tail()) &&
                         eventlog::erase_content(*store, index, envelope.stream, erased, scope) &&
                         store->scrub(scope) &&
                         eventlog::add_later_erasures(folder.erased(), {{envelope.stream, erased}});
    if (!is_done) throw std::runtime_error("the content could not be erased");
    return {envelope.stream, envelope.version};
  }

  // Folds the log into the live rows, up to `through`.
  void project(Position through) const {
    auto log = *eventlog::open_rocksdb_view({folder.log(), {}});
    auto rows = *eventlog::open_rocksdb_key_value_store(folder.views());
    auto set = *projections::ProjectionSet::open(*rows);
    while (*set.catch_up(*log, through, 100) > 0) {
    }
  }

 private:
  void write() {
    auto log = eventlog::open_log(folder.root, eventlog::LogMode::read_write, random);
    support::LogWriter writer(*log, random);
    for (const auto& event : history.log().events()) {
      if (event.envelope.position == Position{1}) continue;  // the writer has its own EpochStarted
      writer.set_now(event.envelope.log_time);
      writer.add(event.envelope.stream, event.event, event.envelope.content ? "words" : "");
      if (random.chance(6)) writer.flush();
    }
    writer.flush();
    head = writer.durable();
  }
};

}  // namespace support
