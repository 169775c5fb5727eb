// Every event there is. An event is a fact in the past tense: its struct holds the facts, which are
// ids, numbers and statuses and are never erased; the text that belongs to it (see "content" at
// each) travels beside it as a Content and may be erased later.
//
// An event that was released stays for ever. A field may be added; its default must mean what its
// absence meant. A changed meaning is a new schema version with an upcast in event_codec.
#pragma once

#include "eventlog/domain/aggregates.hpp"

namespace domain {

// A class, so that an aggregate can be told of it before all aggregates are known.
struct Event : base::VariantOf<detail::OfAll<Aggregates>::Events> {
  using Variant = base::VariantOf<detail::OfAll<Aggregates>::Events>;
  using Variant::Variant;
};

std::string_view type_name(const Event& event);

}  // namespace domain
