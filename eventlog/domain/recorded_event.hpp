// An event as it stands in the log: envelope, facts, and content unless it was erased.
#pragma once

#include <optional>

#include "eventlog/domain/envelope.hpp"
#include "eventlog/domain/event.hpp"

namespace domain {

struct RecordedEvent {
  Envelope envelope;
  Event event;
  std::optional<Content> content;  // absent: none, not asked for, or erased
  base::ExtraFields extra;         // facts of a later release, kept as they came

  bool operator==(const RecordedEvent&) const = default;
};

}  // namespace domain
