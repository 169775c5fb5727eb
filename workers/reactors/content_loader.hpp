// Reads single events with their content (prompts; the opening of a session with its system prompt)
// for the server's loop, which never reads the disk itself.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"

namespace workers {

struct ContentOutcome {
  base::Position position;
  base::Result<domain::RecordedEvent> event;  // without content: it has none, or it was erased
};

// Port. Used by one thread.
class ContentLoader {
 public:
  virtual ~ContentLoader() = default;
  virtual void request(base::Position position) = 0;
  virtual std::optional<ContentOutcome> poll() = 0;
  virtual int wake_fd() const { return -1; }
};

// Reads within poll(), on the caller's thread.
class InlineContentLoader final : public ContentLoader {
 public:
  explicit InlineContentLoader(eventlog::BlockStore& store) : store_(store) {}
  void request(base::Position position) override { wanted_.push_back(position); }
  std::optional<ContentOutcome> poll() override;

 private:
  eventlog::BlockStore& store_;
  std::deque<base::Position> wanted_;
};

// Reads on a thread of its own.
std::unique_ptr<ContentLoader> make_thread_content_loader(eventlog::BlockStore& store);

}  // namespace workers
