// One job reads one event or one conversation; a port runs it in poll() or on a thread.
#include "workers/reactors/content_loader.hpp"

#include <variant>

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

SpokenOutcome read(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                   const SpokenWanted& wanted) {
  return {wanted.session, wanted.current, read_spoken_so_far(log, index, wanted)};
}

using Job = std::variant<base::Position, SpokenWanted>;
using Outcome = std::variant<ContentOutcome, SpokenOutcome>;

class ThreadContentLoader final : public ContentLoader {
 public:
  ThreadContentLoader(eventlog::BlockStore& log, eventlog::StreamIndex& index)
      : thread_("load-content", [&](const Job& job) -> Outcome {
          if (const auto* wanted = std::get_if<SpokenWanted>(&job)) {
            return read(log, index, *wanted);
          }
          return read(log, std::get<base::Position>(job));
        }) {}

  void request(base::Position position) override { thread_.submit(position); }
  void request_spoken(SpokenWanted wanted) override { thread_.submit(std::move(wanted)); }
  std::optional<ContentOutcome> poll() override { return thread_.poll_kind<ContentOutcome>(); }
  std::optional<SpokenOutcome> poll_spoken() override { return thread_.poll_kind<SpokenOutcome>(); }
  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  base::JobThread<Job, Outcome> thread_;
};

}  // namespace

std::optional<ContentOutcome> InlineContentLoader::poll() {
  if (wanted_.empty()) return std::nullopt;
  const base::Position position = wanted_.front();
  wanted_.pop_front();
  return read(log_, position);
}

std::optional<SpokenOutcome> InlineContentLoader::poll_spoken() {
  if (spoken_wanted_.empty()) return std::nullopt;
  const SpokenWanted wanted = std::move(spoken_wanted_.front());
  spoken_wanted_.pop_front();
  return read(log_, index_, wanted);
}

std::unique_ptr<ContentLoader> make_thread_content_loader(eventlog::BlockStore& log,
                                                          eventlog::StreamIndex& index) {
  return std::make_unique<ThreadContentLoader>(log, index);
}

}  // namespace workers
