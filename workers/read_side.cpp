#include "workers/read_side.hpp"

#include "eventlog/base/mutant.hpp"
#include "projections/anchored_rows.hpp"

namespace workers {
namespace {

// A loss of power may have taken rows back to before what the log still holds.
base::Result<bool> build_upon(eventlog::LogBase& base, eventlog::KeyValueStore& index_rows,
                              eventlog::KeyValueStore& view_rows) {
  const Position begin = base.anchor.at.position;
  auto has_streams = projections::has_anchored_streams(index_rows, begin);
  if (!has_streams) return has_streams;
  std::vector<std::unique_ptr<projections::Projection>> behind;
  for (auto& projection : projections::all_projections()) {
    auto goes_on = projections::can_go_on(view_rows, *projection, begin);
    if (!goes_on) return goes_on;
    if (!*goes_on) behind.push_back(std::move(projection));
  }
  if (*has_streams && behind.empty()) return true;
  const auto rows = projections::open_anchored_rows(std::move(base));
  if (!rows) return tl::unexpected(rows.error());
  if (auto ok = projections::copy_anchored_streams(**rows, index_rows, begin); !ok) return ok;
  for (const auto& projection : behind) {
    if (auto ok = projections::copy_anchored_rows(**rows, *projection, view_rows); !ok) return ok;
  }
  return true;
}

// Projections, of which `takeover` is read as of the log's end.
struct OpenedViews {
  projections::ProjectionSet set;
  base::Result<projections::Takeover> takeover;
};
base::Result<OpenedViews> open_views(eventlog::BlockStore& log, base::Position tail,
                                     eventlog::KeyValueStore& rows) {
  auto set = projections::ProjectionSet::open(rows);
  if (!set) return tl::unexpected(set.error());
  if (auto ok = set->verify_checkpoints(log); !ok) return tl::unexpected(ok.error());
  const base::Position head = base::mutant(base::Mutant::takeover_behind) ? base::Position{} : tail;
  auto ok = set->bring_up(projections::TakeoverRows::kName, log, head);
  auto takeover = ok ? projections::read_takeover(rows)
                     : base::Result<projections::Takeover>(tl::unexpected(ok.error()));
  return OpenedViews{std::move(*set), std::move(takeover)};
}

}  // namespace

base::Result<std::unique_ptr<ReadSide>> open_read_side(eventlog::BlockStore& log,
                                                       const eventlog::LogTail& tail,
                                                       eventlog::KeyValueStore& index_rows,
                                                       eventlog::KeyValueStore& view_rows,
                                                       std::optional<eventlog::LogBase> base) {
  auto side = std::make_unique<ReadSide>(index_rows);
  auto caught_up = side->index.catch_up(log, tail.position);
  if (!caught_up && caught_up.error().code == base::ErrorCode::wrong_log) {
    side->rebuilt_because = caught_up.error().text;
    // Snapshots lie among the same rows and are of that other history, too.
    if (auto ok = index_rows.clear(); !ok) return tl::unexpected(ok.error());
    caught_up = side->index.catch_up(log, tail.position);
  }
  if (!caught_up) return tl::unexpected(caught_up.error());
  const auto open = [&]() -> base::Result<OpenedViews> {
    // Where the base's rows were taken, the views are as good as new.
    if (base && (!base->rows || *base->rows)) {
      if (auto ok = build_upon(*base, index_rows, view_rows); !ok)
        return tl::unexpected(ok.error());
    }
    return open_views(log, tail.position, view_rows);
  };
  auto views = open();
  if (views && !views->takeover && views->takeover.error().code == base::ErrorCode::damaged) {
    // Its rows are damaged: they are built anew, from the base's or from the whole log.
    auto ok = views->set.rebuild(projections::TakeoverRows::kName);
    if (!ok) return tl::unexpected(ok.error());
    views = open();
  }
  if (!views) return tl::unexpected(views.error());
  if (!views->takeover) return tl::unexpected(views->takeover.error());
  side->takeover = std::move(*views->takeover);
  const bus::LogIdentity identity{tail.log, {tail.epoch.counter, tail.epoch.random}};
  side->service =
      std::make_unique<QueryService>(identity, log, view_rows, std::move(views->set), side->index);
  return side;
}

}  // namespace workers
