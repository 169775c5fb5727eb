// Reads texts for the server's loop, which never reads the disk itself: single events with their
// content (prompts; the opening of a session with its system prompt), and conversations.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "workers/reactors/spoken_so_far.hpp"

namespace workers {

struct ContentOutcome {
  base::Position position;
  base::Result<domain::RecordedEvent> event;  // without content: it has none, or it was erased
};

struct SpokenOutcome {
  base::SessionId session;
  base::TurnId current;            // of the request
  base::Result<std::string> text;  // as read_spoken_so_far() returns it
};

// Port. Used by one thread.
class ContentLoader {
 public:
  virtual ~ContentLoader() = default;
  virtual void request(base::Position position) = 0;
  virtual void request_spoken(SpokenWanted wanted) = 0;
  // An outcome can wait behind those of the other kind that came before it, so call both.
  virtual std::optional<ContentOutcome> poll() = 0;
  virtual std::optional<SpokenOutcome> poll_spoken() = 0;
  virtual int wake_fd() const { return -1; }
};

// Reads within poll(), on the caller's thread.
class InlineContentLoader final : public ContentLoader {
 public:
  InlineContentLoader(eventlog::BlockStore& log, eventlog::StreamIndex& index)
      : log_(log), index_(index) {}
  void request(base::Position position) override { wanted_.push_back(position); }
  void request_spoken(SpokenWanted wanted) override { spoken_wanted_.push_back(std::move(wanted)); }
  std::optional<ContentOutcome> poll() override;
  std::optional<SpokenOutcome> poll_spoken() override;

 private:
  eventlog::BlockStore& log_;
  eventlog::StreamIndex& index_;
  std::deque<base::Position> wanted_;
  std::deque<SpokenWanted> spoken_wanted_;
};

// Reads on a thread of its own.
std::unique_ptr<ContentLoader> make_thread_content_loader(eventlog::BlockStore& log,
                                                          eventlog::StreamIndex& index);

}  // namespace workers
