#include "workers/read_side.hpp"

#include "eventlog/base/mutant.hpp"

namespace workers {
namespace {

// As of the log's end. Rows that are damaged are built anew once, from the whole log.
base::Result<projections::Takeover> bring_up_takeover(projections::ProjectionSet& set,
                                                      eventlog::BlockStore& log,
                                                      base::Position tail,
                                                      eventlog::KeyValueStore& rows) {
  const auto attempt = [&]() -> base::Result<projections::Takeover> {
    const base::Position head =
        base::mutant(base::Mutant::takeover_behind) ? base::Position{} : tail;
    auto ok = set.bring_up(projections::TakeoverRows::kName, log, head);
    if (!ok) return tl::unexpected(ok.error());
    return projections::read_takeover(rows);
  };
  auto takeover = attempt();
  if (takeover || takeover.error().code != base::ErrorCode::damaged) return takeover;
  if (auto ok = set.rebuild(projections::TakeoverRows::kName); !ok) {
    return tl::unexpected(ok.error());
  }
  return attempt();
}

}  // namespace

base::Result<std::unique_ptr<ReadSide>> open_read_side(eventlog::BlockStore& log,
                                                       const eventlog::LogTail& tail,
                                                       eventlog::KeyValueStore& index_rows,
                                                       eventlog::KeyValueStore& view_rows) {
  auto side = std::make_unique<ReadSide>(index_rows);
  auto caught_up = side->index.catch_up(log, tail.position);
  if (!caught_up && caught_up.error().code == base::ErrorCode::wrong_log) {
    side->rebuilt_because = caught_up.error().text;
    // Snapshots lie among the same rows and are of that other history, too.
    if (auto ok = index_rows.clear(); !ok) return tl::unexpected(ok.error());
    caught_up = side->index.catch_up(log, tail.position);
  }
  if (!caught_up) return tl::unexpected(caught_up.error());
  auto projections = projections::ProjectionSet::open(view_rows);
  if (!projections) return tl::unexpected(projections.error());
  if (auto ok = projections->verify_checkpoints(log); !ok) return tl::unexpected(ok.error());
  auto takeover = bring_up_takeover(*projections, log, tail.position, view_rows);
  if (!takeover) return tl::unexpected(takeover.error());
  side->takeover = std::move(*takeover);
  const bus::LogIdentity identity{tail.log, {tail.epoch.counter, tail.epoch.random}};
  side->service = std::make_unique<QueryService>(identity, log, view_rows, std::move(*projections),
                                                 side->index);
  return side;
}

}  // namespace workers
