// Folds with the product's own projector into a temporary store, and compares digests over the
// rows.
#include "tools/steno/replay/replay_rows.hpp"

#include <fmt/format.h>

#include "projections/anchored_rows.hpp"
#include "projections/fold/digest.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {

using base::ErrorCode;
using base::Position;
using base::Result;
using projections::Projection;

namespace {

constexpr std::size_t kBatchEvents =
    16 << 10;  // folded between two writes and two updates of the progress line

// Returns null if there are no live rows or they cannot be read: there is then nothing to compare
// with.
std::unique_ptr<eventlog::KeyValueStore> open_live_rows(const ReplayArguments& arguments) {
  const std::string folder = eventlog::LogFolder{arguments.folder}.views();
  auto rows = eventlog::open_rocksdb_key_value_view(folder);
  if (rows) return std::move(*rows);
  if (rows.error().code != ErrorCode::not_found) {
    fmt::print(arguments.err, "steno: the live rows cannot be read: {}\n",
               base::describe(rows.error()));
  }
  return nullptr;
}

}  // namespace

Result<RebuiltRows> RebuiltRows::open(const ReplayArguments& arguments) {
  auto live = open_live_rows(arguments);
  base::SystemRandom random;
  eventlog::LogOptions options;
  options.archives = arguments.archives;
  auto log = eventlog::open_log(arguments.folder, eventlog::LogMode::read_only, random, options);
  if (!log) return tl::unexpected(log.error());
  auto folder = eventlog::PrivateFolder::make();
  if (!folder) return tl::unexpected(folder.error());
  auto rows = eventlog::open_rocksdb_key_value_store(folder->path() + "/rows");
  if (!rows) return tl::unexpected(rows.error());
  RebuiltRows all(arguments, std::move(*folder));
  if (log->base) {
    auto base_rows = projections::open_anchored_rows(std::move(*log->base));
    if (!base_rows) return tl::unexpected(base_rows.error());
    all.base_rows_ = std::move(*base_rows);
  }
  all.live_ = std::move(live);
  all.log_ = std::move(*log);
  all.rows_ = std::move(*rows);
  return all;
}

Result<void> RebuiltRows::read_live(const Projection& projection, RebuiltProjection& outcome) {
  if (live_ == nullptr) return {};
  const auto stored = projections::read_checkpoint(*live_, projection.name());
  if (!stored) return tl::unexpected(stored.error());
  if (!*stored || (*stored)->schema != projection.schema()) return {};
  // Rows from before the archived beginning cannot be folded from the rest of the log.
  if ((*stored)->checkpoint.position.next() < log_->store->first()) return {};
  const auto digest = projections::digest(*live_, projection.name());
  if (!digest) return tl::unexpected(digest.error());
  outcome.live = (*stored)->checkpoint;
  outcome.live_digest = *digest;
  return {};
}

Result<Position> RebuiltRows::choose_end(const RebuiltProjection& outcome) const {
  const Position tail = log_->store->tail();
  if (arguments_->to > 0) {
    if (arguments_->to < log_->store->first().value - 1) {
      return base::failure(ErrorCode::not_found,
                           "the log begins at position " +
                               std::to_string(log_->store->first().value) +
                               "; give its archives with --archive",
                           "position " + std::to_string(arguments_->to));
    }
    if (arguments_->to <= tail.value) return Position{arguments_->to};
    return base::failure(ErrorCode::not_found,
                         "the log ends at position " + std::to_string(tail.value),
                         "position " + std::to_string(arguments_->to));
  }
  if (!outcome.live) return tail;
  const Position reached = outcome.live->position;
  if (reached <= tail) return reached;
  return base::failure(ErrorCode::damaged,
                       "the live rows hold events " + std::to_string(tail.value + 1) + " to " +
                           std::to_string(reached.value) + ", which the log does not");
}

Result<void> RebuiltRows::fold(projections::Projector& projector, Position end) {
  ProgressLine progress(arguments_->err, projector.projection().name());
  for (;;) {
    const auto folded = projector.catch_up(*log_->store, end, kBatchEvents);
    if (!folded) return tl::unexpected(folded.error());
    if (*folded == 0) return {};
    progress.show(projector.position(), end);
  }
}

Result<RebuiltProjection> RebuiltRows::run(const Projection& projection) {
  RebuiltProjection outcome;
  outcome.name = projection.name();
  if (auto ok = read_live(projection, outcome); !ok) return tl::unexpected(ok.error());
  const auto end = choose_end(outcome);
  if (!end) return tl::unexpected(end.error());
  if (base_rows_ != nullptr) {
    auto copied = projections::copy_anchored_rows(*base_rows_, projection, *rows_);
    if (!copied) return tl::unexpected(copied.error());
  }
  auto projector = projections::Projector::open(projection, *rows_);
  if (!projector) return tl::unexpected(projector.error());
  if (auto ok = fold(*projector, *end); !ok) return tl::unexpected(ok.error());
  const auto digest = projections::digest(*rows_, projection.name());
  if (!digest) return tl::unexpected(digest.error());
  outcome.position = projector->position();
  outcome.digest = *digest;
  outcome.is_compared = outcome.live && outcome.live->position == *end;
  // Rows of another history are wrong even if they happen to be the same.
  outcome.is_equal = outcome.is_compared && *outcome.live == projector->checkpoint() &&
                     outcome.live_digest == outcome.digest;
  return outcome;
}

Result<std::vector<std::unique_ptr<Projection>>> choose_projections(const std::string& name) {
  auto all = projections::all_projections();
  std::string known;
  for (const auto& one : all) {
    known.append(known.empty() ? "" : ", ").append(one->name());
  }
  if (!name.empty()) {
    std::erase_if(all, [&](const auto& one) { return one->name() != name; });
  }
  if (!all.empty()) return all;
  return base::failure(ErrorCode::not_found,
                       "there is no projection '" + name + "'; there are " + known);
}

}  // namespace steno
