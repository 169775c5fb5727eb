// Appends to an opened log as the server does, through a sequencer. When an appending call returns,
// its events are durable and the head is written.
#pragma once

#include <stdexcept>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/log_reader.hpp"

namespace support {

class LogWriter {
 public:
  // `log` and `random` outlive the writer. A new log gets its first event.
  LogWriter(eventlog::OpenedLog& log, base::Random& random)
      : random_(random),
        store_(*log.store),
        committer_(*log.store, log.head.get()),
        sequencer_(log.tail, committer_, random) {
    if (log.is_new) {
      append(domain::kServerStream, domain::EpochStarted{log.tail.epoch.counter, "created"});
    }
  }

  // Appends the event in a block of its own. Returns its position.
  base::Position append(std::string_view stream, domain::Event event, std::string content = {}) {
    add(stream, std::move(event), std::move(content));
    return flush();
  }

  // Adds the event to the block that the next flush() closes.
  void add(std::string_view stream, domain::Event event, std::string content = {}) {
    const std::string name(stream);
    eventlog::AppendContext context;
    context.command = base::CommandId::make(now_, random_);
    context.log_time = context.wall_time = now_;
    eventlog::StreamAppend append{name, version_of(name), {}};
    append.events.push_back({std::move(event), {std::move(content)}});
    std::vector<eventlog::StreamAppend> appends;
    appends.push_back(std::move(append));
    if (!sequencer_.append(std::move(appends), context)) throw std::runtime_error("not appended");
    ++versions_[name].value;
    if (!sequencer_.has_room()) flush();
  }

  base::Position flush() {
    while (sequencer_.do_work()) {
    }
    if (sequencer_.failure()) throw std::runtime_error(sequencer_.failure()->text);
    sequencer_.take_durable();
    return sequencer_.durable();
  }

  // Sets the log time of all later events.
  void set_now(base::Time now) { now_ = now; }
  eventlog::Checkpoint durable() const { return sequencer_.durable_checkpoint(); }

 private:
  base::StreamVersion version_of(const std::string& stream) {
    if (versions_.empty()) find_versions();
    sequencer_.set_head(stream, versions_[stream]);
    return versions_[stream];
  }

  void find_versions() {
    for (base::Position at{1}; at <= store_.tail();) {
      const auto events = eventlog::read_events(store_, at, store_.tail(), {});
      for (const auto& event : *events) {
        versions_[event.envelope.stream] = event.envelope.version;
        now_ = event.envelope.log_time;
        at = event.envelope.position.next();
      }
    }
  }

  base::Random& random_;
  eventlog::BlockStore& store_;
  eventlog::InlineCommitter committer_;
  eventlog::Sequencer sequencer_;
  std::map<std::string, base::StreamVersion> versions_;
  base::Time now_{1795176000000000};  // 2026-11-20 12:00:00 UTC
};

}  // namespace support
