// Index and views are first opened as they are; on damage or a change of history they are cleared
// and folded anew, upon the base if the log was trimmed.
#include "workers/server/derived_stores.hpp"

#include <set>
#include <string>
#include <utility>

#include "eventlog/base/mutant.hpp"
#include "projections/anchored_rows.hpp"

namespace workers {
namespace {

using base::ErrorCode;
using base::Result;

// True if the rows are at fault, damaged or of another history, so that the log can give them back.
bool is_of_rows(const base::Error& error) {
  return error.code == ErrorCode::rows_damaged || error.code == ErrorCode::wrong_log;
}

// The two stores of rows, and the ways to build them from the log. Lives as long as the service.
class DerivedRows {
 public:
  DerivedRows(eventlog::BlockStore& log, eventlog::KeyValueStore& index_rows,
              eventlog::KeyValueStore& view_rows, DerivedStoresOptions options)
      : log_(log), index_rows_(index_rows), view_rows_(view_rows), options_(std::move(options)) {}

  Result<void> open_index(eventlog::StreamIndex& index, Position tail) const {
    auto opened = index.catch_up(log_, tail);
    if (opened) opened = build_index_upon_base();
    if (opened || !is_of_rows(opened.error())) return opened;
    return rebuild_index(index, tail, opened.error());
  }

  Result<void> rebuild_damaged_index(eventlog::StreamIndex& index, Position durable) const {
    const auto damage = index_rows_.damage();
    if (!damage && index.is_whole()) return {};
    return rebuild_index(index, durable,
                         damage ? *damage : base::Error{ErrorCode::rows_damaged, "not whole", {}});
  }

  // Returns the agents that the index knows. One that is damaged is built anew first.
  Result<std::set<std::string>> agents_of(eventlog::StreamIndex& index, Position tail) const {
    auto agents = index.agents();
    if (agents || !is_of_rows(agents.error())) return agents;
    if (auto ok = rebuild_index(index, tail, agents.error()); !ok) {
      return tl::unexpected(ok.error());
    }
    return index.agents();
  }

  // Opens the projections, with `takeover` as of `tail`.
  Result<projections::ProjectionSet> open_views(Position tail,
                                                projections::Takeover& takeover) const {
    auto opened = try_views(tail, takeover);
    if (opened || !is_of_rows(opened.error())) return opened;
    if (auto ok = clear_views(opened.error()); !ok) return tl::unexpected(ok.error());
    return try_views(tail, takeover);
  }

  Result<std::optional<projections::ProjectionSet>> rebuild_damaged_views(bool has_failed) const {
    const auto damage = view_rows_.damage();
    if (!damage && !has_failed) return std::nullopt;
    if (auto ok = damage ? clear_views(*damage) : Result<void>(); !ok)
      return tl::unexpected(ok.error());
    auto set = projection_set();
    if (!set) return tl::unexpected(set.error());
    return std::optional(std::move(*set));
  }

 private:
  void tell(std::string_view rows, const base::Error& why) const {
    if (options_.on_rebuilt) options_.on_rebuilt(rows, why);
  }

  Result<void> rebuild_index(eventlog::StreamIndex& index, Position durable,
                             const base::Error& why) const {
    tell("index", why);
    return index.rebuild(log_, durable, [this] { return build_index_upon_base(); });
  }

  Result<void> clear_views(const base::Error& why) const {
    tell("views", why);
    return view_rows_.clear();
  }

  Result<projections::ProjectionSet> projection_set() const {
    if (auto ok = build_views_upon_base(); !ok) return tl::unexpected(ok.error());
    auto set = projections::ProjectionSet::open(view_rows_);
    if (!set) return tl::unexpected(set.error());
    if (auto ok = set->verify_checkpoints(log_); !ok) return tl::unexpected(ok.error());
    return set;
  }

  Result<projections::ProjectionSet> try_views(Position tail,
                                               projections::Takeover& takeover) const {
    auto set = projection_set();
    if (!set) return set;
    const Position head = base::mutant(base::Mutant::takeover_behind) ? Position{} : tail;
    auto ok = set->bring_up(projections::StartupRows::kName, log_, head);
    if (!ok) return tl::unexpected(ok.error());
    auto read = projections::read_takeover(view_rows_);
    if (!read) return tl::unexpected(read.error());
    takeover = std::move(*read);
    return set;
  }

  // Reads the base of a trimmed log; none: the log begins at position 1.
  Result<std::optional<eventlog::LogBase>> read_base() const {
    if (!options_.read_base || log_.first() <= Position{1}) return std::nullopt;
    return options_.read_base();
  }

  // Gives the index the states of streams at the anchor, which the log no longer holds.
  Result<void> build_index_upon_base() const {
    auto base = read_base();
    if (!base) return tl::unexpected(base.error());
    if (!*base) return {};
    const Position begin = (*base)->anchor.at.position;
    auto is_there = projections::has_anchored_streams(index_rows_, begin);
    if (!is_there) return tl::unexpected(is_there.error());
    if (*is_there) return {};
    const auto rows = projections::open_anchored_rows(std::move(**base));
    if (!rows) return tl::unexpected(rows.error());
    return projections::copy_anchored_streams(**rows, index_rows_, begin);
  }

  // Gives projections that do not reach the log's beginning the base's rows.
  Result<void> build_views_upon_base() const {
    auto base = read_base();
    if (!base) return tl::unexpected(base.error());
    if (!*base) return {};
    std::vector<std::unique_ptr<projections::Projection>> behind;
    for (auto& projection : projections::all_projections()) {
      auto goes_on = projections::can_go_on(view_rows_, *projection, (*base)->anchor.at.position);
      if (!goes_on) return tl::unexpected(goes_on.error());
      if (!*goes_on) behind.push_back(std::move(projection));
    }
    if (behind.empty()) return {};
    const auto rows = projections::open_anchored_rows(std::move(**base));
    if (!rows) return tl::unexpected(rows.error());
    for (const auto& projection : behind) {
      if (auto ok = projections::copy_anchored_rows(**rows, *projection, view_rows_); !ok) {
        return ok;
      }
    }
    return {};
  }

  eventlog::BlockStore& log_;
  eventlog::KeyValueStore& index_rows_;
  eventlog::KeyValueStore& view_rows_;
  const DerivedStoresOptions options_;
};

}  // namespace

Result<std::unique_ptr<DerivedStores>> open_derived_stores(eventlog::BlockStore& log,
                                                           const eventlog::LogTail& tail,
                                                           eventlog::KeyValueStore& index_rows,
                                                           eventlog::KeyValueStore& view_rows,
                                                           DerivedStoresOptions options) {
  auto side = std::make_unique<DerivedStores>(index_rows);
  auto open_archive = std::move(options.open_archive);
  auto archive_folders = std::move(options.archive_folders);
  if (!options.content_folder.empty()) {
    projections::ContentOptions content;
    content.on_rebuilt = options.on_rebuilt;
    auto contents = projections::ContentSet::open(options.content_folder, log, content);
    if (!contents) return tl::unexpected(contents.error());
    if (!(*contents)->is_empty()) side->contents = std::move(*contents);
  }
  const DerivedRows rows(log, index_rows, view_rows, std::move(options));
  if (auto ok = rows.open_index(side->index, tail.position); !ok) {
    return tl::unexpected(ok.error());
  }
  auto views = rows.open_views(tail.position, side->takeover);
  if (!views) return tl::unexpected(views.error());
  auto agents = rows.agents_of(side->index, tail.position);
  if (!agents) return tl::unexpected(agents.error());
  side->takeover.agents = std::move(*agents);
  RowsRebuild rebuild;
  rebuild.index = [rows, &index = side->index](Position durable) {
    return rows.rebuild_damaged_index(index, durable);
  };
  rebuild.views = [rows](bool has_failed) { return rows.rebuild_damaged_views(has_failed); };
  const bus::LogIdentity identity{tail.log, {tail.epoch.counter, tail.epoch.random}};
  side->service = std::make_unique<QueryService>(
      identity, log, view_rows, std::move(*views), side->index,
      QueryServiceOptions{std::move(rebuild), std::move(open_archive), std::move(archive_folders),
                          side->contents.get()});
  return side;
}

}  // namespace workers
