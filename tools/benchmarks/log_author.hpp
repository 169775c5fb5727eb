// Writes the data folder of a server that has worked for long, through the product's own sequencer.
// It is for rows about a history that no benchmark has the time to live through. All sessions
// belong to one agent, kLogAgent.
#pragma once

#include <functional>
#include <limits>
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
  // The agent that a prompt to a live session starts. Empty: as in other histories.
  std::string engine{};
  std::string workdir{};
};

// Returns the size of all files with that extension below the folder.
std::size_t bytes_of(const std::string& folder, const std::string& extension);

class LogAuthor {
 public:
  // `data_folder` must not hold a log yet; `random` must outlive the author.
  static base::Result<std::unique_ptr<LogAuthor>> create(const std::string& data_folder,
                                                         base::Random& random);

  // Returns a session with its own name and alias.
  SessionHistory new_history();
  // Appends the session's next event, with the registry's and admission's that belong to it. Its
  // content, if it has any, has that length.
  base::Result<void> add(SessionHistory& session, std::size_t content_bytes);
  // Appends whole sessions of at least `events` events, up to a hundred alive at once; returns
  // their ids.
  base::Result<std::vector<base::SessionId>> add_histories(std::int64_t events,
                                                           std::size_t content_bytes);
  // Appends a whole session: three events to open it, two for each turn, and three to end it.
  base::Result<base::SessionId> add_short(const ShortLife& life);
  // Appends a live session whose agent has said this many blocks in one turn.
  base::Result<base::SessionId> add_talk(int blocks, std::size_t content_bytes);
  // The same, with blocks that `text` returns, in turns of at most `turn_blocks`.
  base::Result<base::SessionId> add_talk(int blocks, const std::function<std::string()>& text,
                                         int turn_blocks = std::numeric_limits<int>::max());
  // Appends sessions without content until the write-ahead log is nearly as large as the store
  // allows before it writes tables; a quarter of that if `is_short`. A server finds that much at
  // its start.
  base::Result<void> fill_write_ahead_log(bool is_short);
  // All events are in tables when it returns, so that a start reads none of them from the
  // write-ahead log. `copy` is where a folder can be made; the caller must remove it.
  base::Result<void> empty_write_ahead_log(const std::string& copy);
  // All events so far are durable when it returns.
  base::Result<void> flush();

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
  base::Result<void> append(std::vector<eventlog::StreamAppend> appends,
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
  base::SessionId first_;  // admitted
};

}  // namespace benchmarks
