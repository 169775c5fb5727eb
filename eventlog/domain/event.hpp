// The variant of all events. An event is a fact in the past tense. Its struct holds the facts: ids,
// numbers and statuses, which are never erased. The text that belongs to it ("Content" at each
// event) travels beside it as a Content and can be erased later.
//
// A released event stays for ever. A field can be added; its default must mean what its absence
// meant. A changed meaning is a new schema version with an upcast in event_codec.
#pragma once

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/aggregates.hpp"

extern template class base::SealedVariant<domain::detail::OfAll<domain::Aggregates>::Events>;

namespace domain {

// A class, so that aggregates can declare it before all aggregates are known.
struct Event : base::SealedVariant<detail::OfAll<Aggregates>::Events> {
  using SealedVariant::SealedVariant;
};

std::string_view type_name(const Event& event);

}  // namespace domain
