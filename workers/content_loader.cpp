#include "workers/content_loader.hpp"

#include "eventlog/base/job_thread.hpp"
#include "eventlog/log_reader.hpp"

namespace workers {
namespace {

class ThreadContentLoader final : public ContentLoader {
 public:
  explicit ThreadContentLoader(eventlog::BlockStore& store)
      : thread_("load-content", [&store](base::Position position) {
          return ContentOutcome{position, eventlog::read_content(store, position)};
        }) {}

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
  return ContentOutcome{position, eventlog::read_content(store_, position)};
}

std::unique_ptr<ContentLoader> make_thread_content_loader(eventlog::BlockStore& store) {
  return std::make_unique<ThreadContentLoader>(store);
}

}  // namespace workers
