// All content indexes of one data folder: content/<name>/ holds each. Calls can come from several
// threads.
#pragma once

#include "projections/content/content_feed.hpp"
#include "projections/content/content_indexes.hpp"

namespace projections {

class ContentSet {
 public:
  // Removes below `folder` all that no index of this release keeps, since erasures would not reach
  // it. Makes no folder. `log` must outlive the set. Error io: something could not be removed.
  static Result<std::unique_ptr<ContentSet>> open(
      const std::string& folder, eventlog::BlockStore& log, const ContentOptions& options = {},
      const std::vector<const ContentIndexKind*>& kinds = all_content_indexes());

  bool is_empty() const { return feeds_.empty(); }

  struct Fed {
    bool has_more = false;
    bool has_failed = false;  // status() says why; try again in a while
  };
  // One step of each index towards `durable`, the last position of a durable block.
  Fed feed(Position durable);

  // One step of that index alone, as ContentFeed::step. Error not_found: there is no such index.
  Result<bool> step(std::string_view name, Position durable);
  // Error not_found: there is no such index; those of ContentFeed::read.
  Result<void> read(std::string_view name, const std::function<Result<void>(ContentIndex&)>& use);

  // The copies that erasures must reach; valid as long as the set.
  std::vector<eventlog::ErasableCopy*> copies();
  std::vector<ContentStatus> status() const;

 private:
  Result<ContentFeed*> find(std::string_view name) const;

  std::vector<std::unique_ptr<ContentFeed>> feeds_;
};

}  // namespace projections
