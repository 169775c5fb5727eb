// An index that fails does not hold up the others.
#include "projections/content/content_set.hpp"

#include <algorithm>

#include "eventlog/base/list_files.hpp"

namespace projections {
namespace {

Result<void> remove_others(const std::string& folder,
                           const std::vector<const ContentIndexKind*>& kinds,
                           eventlog::Disk& disk) {
  if (eventlog::is_gone(folder)) return {};
  const auto found = base::list_files(folder);
  if (!found) return tl::unexpected(found.error());
  bool has_removed = false;
  for (const base::ListedFile& one : *found) {
    const bool is_kept = std::any_of(kinds.begin(), kinds.end(), [&](const ContentIndexKind* kind) {
      return kind->name == one.name;
    });
    if (is_kept) continue;
    disk.remove_all(one.path);
    has_removed = true;
    if (eventlog::is_gone(one.path)) continue;
    return base::failure(base::ErrorCode::io,
                         "no index of this release keeps this, and it cannot be removed", one.path);
  }
  return has_removed ? disk.sync_folder(folder) : Result<void>();
}

}  // namespace

Result<std::unique_ptr<ContentSet>> ContentSet::open(
    const std::string& folder, eventlog::BlockStore& log, const ContentOptions& options,
    const std::vector<const ContentIndexKind*>& kinds) {
  if (auto ok = remove_others(folder, kinds, options.disk); !ok) return tl::unexpected(ok.error());
  auto set = std::make_unique<ContentSet>();
  for (const ContentIndexKind* kind : kinds) {
    set->feeds_.push_back(
        std::make_unique<ContentFeed>(*kind, log, folder + "/" + std::string(kind->name), options));
  }
  return set;
}

ContentSet::Fed ContentSet::feed(Position durable) {
  Fed fed;
  for (const auto& feed : feeds_) {
    const auto more = feed->step(durable);
    fed.has_more |= more && *more;
    fed.has_failed |= !more;
  }
  return fed;
}

Result<bool> ContentSet::step(std::string_view name, Position durable) {
  const auto feed = find(name);
  if (!feed) return tl::unexpected(feed.error());
  return (*feed)->step(durable);
}

Result<void> ContentSet::read(std::string_view name,
                              const std::function<Result<void>(ContentIndex&)>& use) {
  const auto feed = find(name);
  if (!feed) return tl::unexpected(feed.error());
  return (*feed)->read(use);
}

Result<ContentFeed*> ContentSet::find(std::string_view name) const {
  for (const auto& feed : feeds_) {
    if (feed->kind() == name) return feed.get();
  }
  return base::failure(base::ErrorCode::not_found,
                       "there is no content index '" + std::string(name) + "'");
}

std::vector<eventlog::ErasableCopy*> ContentSet::copies() {
  std::vector<eventlog::ErasableCopy*> copies;
  for (const auto& feed : feeds_) copies.push_back(feed.get());
  return copies;
}

std::vector<ContentStatus> ContentSet::status() const {
  std::vector<ContentStatus> all;
  for (const auto& feed : feeds_) all.push_back(feed->status());
  return all;
}

}  // namespace projections
