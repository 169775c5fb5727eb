// Writes a data folder as a server leaves it that has worked for long, through the product's own
// sequencer: for what is measured on a history that no benchmark has the time to live through.
// Sessions are those of one agent, kLogAgent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eventlog/folder/open_log.hpp"
#include "tools/benchmarks/session_history.hpp"

namespace benchmarks {

constexpr std::string_view kLogAgent = "bench";

struct ShortLife {
  int interrupted_turns = 1;  // each queued and interrupted by a client: two commands
  bool is_ended = true;       // else it lives on, idle
};

// Of all files with that extension below the folder.
std::size_t bytes_of(const std::string& folder, const std::string& extension);

class LogAuthor {
 public:
  // `data_folder` has no log yet; `random` outlives the author.
  static base::Result<std::unique_ptr<LogAuthor>> create(const std::string& data_folder,
                                                         base::Random& random);

  // Each with its own name and alias.
  SessionHistory new_history();
  // The next event of it, with those of registry and admission that belong to it. Its content, if
  // it has any, is that long.
  base::Result<bool> add(SessionHistory& session, std::size_t content_bytes);
  // So many events at least, of whole sessions, up to a hundred alive at once. The sessions' ids.
  base::Result<std::vector<base::SessionId>> add_histories(std::int64_t events,
                                                           std::size_t content_bytes);
  // A session from its beginning: four events, two for each turn, and three for its end.
  base::Result<base::SessionId> add_short(const ShortLife& life);
  // A session that lives, whose agent has said so many blocks in one turn.
  base::Result<base::SessionId> add_talk(int blocks, std::size_t content_bytes);
  // Sessions without content, until the log's own log has nearly as many bytes as its store lets it
  // have before tables are written; fewer where `is_short`. So many a server finds at its start.
  base::Result<bool> fill_write_ahead_log(bool is_short);
  // All is in tables when it returns, so that a start reads none of it again. `copy` is where a
  // folder can be made; it is the caller's to remove.
  base::Result<bool> empty_write_ahead_log(const std::string& copy);
  // Everything so far is durable when it returns.
  base::Result<bool> flush();

  std::int64_t events() const { return sequencer_.tail().value; }
  eventlog::BlockStore& store() { return *log_.store; }

 private:
  LogAuthor(eventlog::OpenedLog log, std::string log_folder, base::Random& random)
      : random_(random),
        log_(std::move(log)),
        log_folder_(std::move(log_folder)),
        committer_(*log_.store, log_.head.get()),
        sequencer_(log_.tail, committer_, random) {}

  SessionIdentity new_identity();
  base::Result<bool> append(std::vector<eventlog::StreamAppend> appends,
                            eventlog::AppendContext context);
  void add_opening(std::vector<eventlog::StreamAppend>& appends, const SessionIdentity& identity);
  void add_ending(std::vector<eventlog::StreamAppend>& appends, const SessionIdentity& identity);

  base::Random& random_;
  eventlog::OpenedLog log_;
  const std::string log_folder_;
  eventlog::InlineCommitter committer_;
  eventlog::Sequencer sequencer_;
  base::Time now_;
  base::StreamVersion registry_;
  base::StreamVersion admission_;
  std::int64_t sessions_ = 0;
  base::SessionId first_;  // that was admitted
};

}  // namespace benchmarks
