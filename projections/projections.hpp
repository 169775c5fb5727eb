// All projections of this release, run over one store of rows.
#pragma once

#include <memory>

#include "projections/fold/projector.hpp"

namespace projections {

// All projections, in the order in which they are run and listed.
std::vector<std::unique_ptr<Projection>> all_projections();

struct ProjectionStatus {
  std::string name;
  std::int64_t schema = 0;
  Position position;
  std::optional<base::Error> stopped;
  std::optional<base::Error>
      failed;  // in the last catch_up; a projection that has not stopped can go on
};

struct ProjectionDigest {
  std::string name;
  Position position;
  base::Hash digest{};

  bool operator==(const ProjectionDigest&) const = default;
};

// Used by one thread, while others can query the store. A projection that stops does not stop the
// others: status() gives each one's position and error.
class ProjectionSet {
 public:
  // `store` must outlive the set. Error: the store's.
  static Result<ProjectionSet> open(
      eventlog::KeyValueStore& store,
      std::vector<std::unique_ptr<Projection>> projections = all_projections());

  // Call it once after open(). Error: `damaged` before any other, if the log has lost events that a
  // projection has folded; else that of the first projection that failed; see status().
  Result<void> verify_checkpoints(eventlog::BlockStore& log);

  // One catch_up of each projection that has not stopped: see Projector. Returns the largest number
  // of events that one of them has folded; 0: all that can go on have caught up. Error: that of the
  // first projection that failed in this call; the others went on all the same.
  Result<std::int64_t> catch_up(eventlog::BlockStore& log, Position durable_head,
                                std::size_t events_max);

  // Brings one projection up to `durable_head`, where a block must end. Error: the reason why it is
  // not there; not_found, naming the projections there are.
  Result<void> bring_up(std::string_view name, eventlog::BlockStore& log, Position durable_head);

  // The last position that all projections have folded, those that have stopped included.
  Position position() const;
  bool reached(Position position) const { return this->position() >= position; }

  std::vector<ProjectionStatus> status() const;
  // Error: the store's.
  Result<std::vector<ProjectionDigest>> digests() const;

  // Removes the rows of one projection; the next calls of catch_up() build them anew. Error:
  // not_found, naming the projections there are; the store's.
  Result<void> rebuild(std::string_view name);

 private:
  ProjectionSet(eventlog::KeyValueStore& store,
                std::vector<std::unique_ptr<Projection>> projections)
      : store_(&store), projections_(std::move(projections)) {}

  Result<Projector*> find(std::string_view name);

  eventlog::KeyValueStore* store_;
  std::vector<std::unique_ptr<Projection>> projections_;
  std::vector<Projector> projectors_;               // one each, in the same order
  std::vector<std::optional<base::Error>> failed_;  // the same
};

}  // namespace projections
