// A StreamLoader on its own thread. Loads and saves share one queue, so a stream that is saved and
// then asked for is loaded with its snapshot.
#include <variant>

#include "eventlog/base/job_thread.hpp"
#include "eventlog/log/stream_loader.hpp"

namespace eventlog {
namespace {

struct Job {
  std::string stream;
  std::optional<LoadedStream> to_save;  // absent: load
};
using Outcome = std::variant<LoadOutcome, SaveOutcome>;

class ThreadLoader final : public StreamLoader {
 public:
  ThreadLoader(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots)
      : thread_("load-streams", [&](Job job) -> Outcome {
          if (job.to_save) {
            const bool is_saved = save_stream(index, snapshots, job.stream, *job.to_save);
            return SaveOutcome{std::move(job.stream), is_saved};
          }
          auto loaded = load_stream(store, index, snapshots, job.stream);
          return LoadOutcome{std::move(job.stream), std::move(loaded)};
        }) {}

  void request(const std::string& stream) override { thread_.submit({stream, std::nullopt}); }

  void save(const std::string& stream, LoadedStream loaded) override {
    thread_.submit({stream, std::move(loaded)});
  }

  std::optional<LoadOutcome> poll() override { return thread_.poll_kind<LoadOutcome>(); }
  std::optional<SaveOutcome> poll_saved() override { return thread_.poll_kind<SaveOutcome>(); }
  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  base::JobThread<Job, Outcome> thread_;
};

}  // namespace

std::unique_ptr<StreamLoader> make_thread_loader(BlockStore& store, StreamIndex& index,
                                                 SnapshotStore& snapshots) {
  return std::make_unique<ThreadLoader>(store, index, snapshots);
}

}  // namespace eventlog
