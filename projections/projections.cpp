// The projectors catch up together, so that each block is read and decoded once for all; a stopped
// one is left out.
#include "projections/projections.hpp"

#include <algorithm>

#include "projections/fold/digest.hpp"
#include "projections/start/startup_rows.hpp"
#include "projections/views/conversation_list.hpp"
#include "projections/views/metrics.hpp"
#include "projections/views/resume_index.hpp"
#include "projections/views/session_list.hpp"

namespace projections {
namespace {

constexpr std::size_t kBringUpEvents = 10'000;  // folded between two writes of the rows

}  // namespace

std::vector<std::unique_ptr<Projection>> all_projections() {
  std::vector<std::unique_ptr<Projection>> all;
  all.push_back(std::make_unique<SessionList>());
  all.push_back(std::make_unique<Metrics>());
  all.push_back(std::make_unique<ResumeIndex>());
  all.push_back(std::make_unique<StartupRows>());
  all.push_back(std::make_unique<ConversationList>());
  return all;
}

Result<ProjectionSet> ProjectionSet::open(eventlog::KeyValueStore& store,
                                          std::vector<std::unique_ptr<Projection>> projections) {
  ProjectionSet set(store, std::move(projections));
  for (const auto& projection : set.projections_) {
    auto projector = Projector::open(*projection, store);
    if (!projector) return tl::unexpected(projector.error());
    set.projectors_.push_back(std::move(*projector));
  }
  set.failed_.resize(set.projectors_.size());
  return set;
}

Result<void> ProjectionSet::verify_checkpoints(eventlog::BlockStore& log) {
  Result<void> outcome;
  for (Projector& projector : projectors_) {
    auto verified = projector.verify_checkpoint(log);
    // Lost events matter more than rows of another log, so `damaged` replaces an earlier error.
    const bool is_first = outcome.has_value();
    if (!verified && (is_first || verified.error().code == base::ErrorCode::damaged)) {
      outcome = verified;
    }
  }
  return outcome;
}

Result<std::int64_t> ProjectionSet::catch_up(eventlog::BlockStore& log, Position durable_head,
                                             std::size_t events_max) {
  std::vector<Projector*> going;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < projectors_.size(); ++i) {
    if (projectors_[i].stopped()) continue;
    going.push_back(&projectors_[i]);
    places.push_back(i);
  }
  const auto outcomes = Projector::catch_up_all(going, log, durable_head, events_max);
  std::int64_t most = 0;
  std::optional<base::Error> first;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    std::optional<base::Error>& failed = failed_[places[i]];
    failed.reset();
    if (outcomes[i]) {
      most = std::max(most, *outcomes[i]);
      continue;
    }
    failed = outcomes[i].error();
    if (!first) first = failed;
  }
  if (first) return tl::unexpected(*first);
  return most;
}

Result<void> ProjectionSet::bring_up(std::string_view name, eventlog::BlockStore& log,
                                     Position durable_head) {
  auto found = find(name);
  if (!found) return tl::unexpected(found.error());
  Projector& projector = **found;
  while (projector.position() < durable_head) {
    const auto folded = projector.catch_up(log, durable_head, kBringUpEvents);
    if (!folded) return tl::unexpected(folded.error());
    if (*folded == 0) {
      return base::failure(base::ErrorCode::invalid, "no block of the log ends there",
                           "position " + std::to_string(durable_head.value));
    }
  }
  if (projector.stopped()) return tl::unexpected(*projector.stopped());
  return {};
}

Position ProjectionSet::position() const {
  Position lowest;
  for (const Projector& projector : projectors_) {
    const bool is_first = &projector == &projectors_.front();
    lowest = is_first ? projector.position() : std::min(lowest, projector.position());
  }
  return lowest;
}

std::vector<ProjectionStatus> ProjectionSet::status() const {
  std::vector<ProjectionStatus> all;
  for (std::size_t i = 0; i < projectors_.size(); ++i) {
    const Projector& projector = projectors_[i];
    all.push_back({std::string(projector.projection().name()), projector.projection().schema(),
                   projector.position(), projector.stopped(), failed_[i]});
  }
  return all;
}

Result<std::vector<ProjectionDigest>> ProjectionSet::digests() const {
  std::vector<ProjectionDigest> all;
  for (const Projector& projector : projectors_) {
    const std::string_view name = projector.projection().name();
    auto rows = digest(*store_, name);
    if (!rows) return tl::unexpected(rows.error());
    all.push_back({std::string(name), projector.position(), *rows});
  }
  return all;
}

Result<void> ProjectionSet::rebuild(std::string_view name) {
  auto found = find(name);
  if (!found) return tl::unexpected(found.error());
  return (*found)->rebuild();
}

Result<Projector*> ProjectionSet::find(std::string_view name) {
  std::string known;
  for (Projector& projector : projectors_) {
    if (projector.projection().name() == name) return &projector;
    known.append(known.empty() ? "" : ", ").append(projector.projection().name());
  }
  return base::failure(base::ErrorCode::not_found,
                       "there is no projection '" + std::string(name) + "'; there are " + known);
}

}  // namespace projections
