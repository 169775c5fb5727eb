// Port: a fold of the log's facts into rows. It owns no state and reads no clock: the same events
// give the same rows, in whatever portions they come, so that its rows can be thrown away at any
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

  // Names its rows in the store: lower-case letters and '_', and never the name of another one.
  virtual std::string_view name() const = 0;

  // Changes whenever the rows that the same events give would change: rows of another schema are
  // thrown away and built anew.
  virtual std::int64_t schema() const = 0;

  // Folds one event, which is given once, in order, with its position and without content; `stream`
  // is the one that it is on, read once for all projections, none where its name is no stream's.
  // Total: there is no event that it refuses; it must not read anything but these and the rows.
  virtual void apply(const domain::RecordedEvent& event,
                     const std::optional<domain::StreamRef>& stream, Rows& rows) const = 0;
};

}  // namespace projections
