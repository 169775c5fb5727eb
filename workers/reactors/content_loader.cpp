// One job reads one event; a port runs it in poll() or on a thread.
#include "workers/reactors/content_loader.hpp"

#include "eventlog/base/job_thread.hpp"
#include "eventlog/log/log_reader.hpp"

namespace workers {
namespace {

ContentOutcome read(eventlog::BlockStore& store, base::Position position) {
  auto events = eventlog::read_events(store, position, position, {1, true});
  if (!events) return {position, tl::unexpected(events.error())};
  if (events->empty()) {
    return {position, base::failure(base::ErrorCode::not_found, "there is no event",
                                    "position " + std::to_string(position.value))};
  }
  return {position, std::move(events->front())};
}

class ThreadContentLoader final : public ContentLoader {
 public:
  explicit ThreadContentLoader(eventlog::BlockStore& store)
      : thread_("load-content",
                [&store](base::Position position) { return read(store, position); }) {}

  void request(base::Position position) override { thread_.submit(position); }
  std::optional<ContentOutcome> poll() override { return thread_.poll(); }
  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  base::JobThread<base::Position, ContentOutcome> thread_;
};

}  // namespace

std::optional<ContentOutcome> InlineContentLoader::poll() {
  if (wanted_.empty()) return std::nullopt;
  const base::Position position = wanted_.front();
  wanted_.pop_front();
  return read(store_, position);
}

std::unique_ptr<ContentLoader> make_thread_content_loader(eventlog::BlockStore& store) {
  return std::make_unique<ThreadContentLoader>(store);
}

}  // namespace workers
