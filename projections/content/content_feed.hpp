// Feeds one content index from the log, and lets erasures reach it. An index that is damaged, of
// another schema, of another history or ahead of the log is removed and built anew.
//
// One thread feeds while another erases or reads; each call waits for the one under way, which can
// be a step, the removal of the index, or a scrub that rewrites its files. An erasure takes a text
// out of the log first. A step reads and stores in one call, so it is over before the erasure comes
// to the index, or finds the text gone.
#pragma once

#include <functional>
#include <mutex>

#include "eventlog/copies/erasable_copy.hpp"
#include "eventlog/store/block_store.hpp"
#include "projections/content/content_index.hpp"

namespace projections {

struct ContentOptions {
  eventlog::Disk& disk = eventlog::system_disk();
  // Told which folder is built anew, below the data folder, and why. Called by any thread that
  // uses the feed.
  std::function<void(std::string_view folder, const base::Error& why)> on_rebuilt{};
  std::size_t step_bytes = 256 << 10;  // of facts, between two commits; at least one block
};

struct ContentStatus {
  std::string name;
  std::int64_t schema = 0;
  Position position;                  // of the last event that was applied; 0: none
  std::optional<base::Error> failed;  // why the last step was not done
};

class ContentFeed final : public eventlog::ErasableCopy {
 public:
  // `folder` is the index's own. The index is opened by the first call that needs it. All
  // references must outlive the feed.
  ContentFeed(const ContentIndexKind& kind, eventlog::BlockStore& log, std::string folder,
              ContentOptions options)
      : kind_(kind), log_(log), folder_(std::move(folder)), options_(std::move(options)) {}

  // Applies some of the events up to `durable`, the last position of a durable block. Returns true
  // if there are more. Errors: as Projector::catch_up; the call can be repeated.
  Result<bool> step(Position durable);
  // Gives the index to `use`, which must not keep it. Error: that of opening it, or of `use`.
  Result<void> read(const std::function<Result<void>(ContentIndex&)>& use);
  ContentStatus status() const;
  // Its kind's name. Any thread; it waits for nothing.
  std::string_view kind() const { return kind_.name; }

  std::string name() const override;
  Result<std::vector<Result<void>>> erase(
      const std::vector<eventlog::LaterErasure>& erasures) override;
  Result<void> scrub() override;

 private:
  // The caller of these must hold the mutex.
  template <class Work>
  Result<void> with_index(Work&& work);
  Result<void> open();
  Result<void> open_as_it_is();
  Result<void> open_anew(const base::Error& why);
  Result<void> feed(Position durable);
  Result<void> commit(const eventlog::Checkpoint& reached);
  Result<void> erase_one(const eventlog::LaterErasure& erasure);

  const ContentIndexKind& kind_;
  eventlog::BlockStore& log_;
  const std::string folder_;
  const ContentOptions options_;
  mutable std::mutex mutex_;
  std::unique_ptr<ContentIndex> index_;  // null: it is not open
  eventlog::Checkpoint checkpoint_;      // of index_
  std::optional<base::Error> failed_;
};

}  // namespace projections
