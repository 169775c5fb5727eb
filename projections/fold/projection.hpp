// Port: a fold of the log's facts into rows. It owns no state and reads no clock, so the same
// events give the same rows, in whatever portions they come. Its rows can be thrown away at any
// time and built again from the log.
#pragma once

#include <optional>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "projections/fold/rows.hpp"

namespace projections {

class Projection {
 public:
  virtual ~Projection() = default;

  // Names its rows in the store: lower-case letters and '_', different from every other name.
  virtual std::string_view name() const = 0;

  // Changes whenever the same events would give other rows. Rows of another schema are thrown away
  // and built anew.
  virtual std::int64_t schema() const = 0;

  // True if releases have trimmed logs that had neither this projection nor any event that it
  // folds: what such a log begins with has no rows of it, and needs none.
  virtual bool is_younger() const { return false; }

  // Folds one event; each is given once, in order, with its position and without content. `stream`
  // is the event's stream, parsed once for all projections; none if its name is no stream's. Total:
  // it refuses no event. It must read nothing but these arguments and the rows.
  virtual void apply(const domain::RecordedEvent& event,
                     const std::optional<domain::StreamRef>& stream, Rows& rows) const = 0;
};

}  // namespace projections
