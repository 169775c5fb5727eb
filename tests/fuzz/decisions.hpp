// Checks that hold for every decision, whoever asked for it.
#pragma once

#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fuzz {

// Requires that every event of the decision can be stored, and gives it to `use` with its stream.
// An empty stream means the command's target.
template <class Use>
void with_stored(const domain::Decision& decision, Use&& use) {
  for (const domain::Emitted& emitted : decision) {
    domain::RecordedEvent event;
    event.event = emitted.event;
    const auto read = domain::decode_facts(domain::encode_facts(event));
    require(read && read->event == event.event, "what is decided can be stored");
    use(emitted.stream, std::move(event));
  }
}

}  // namespace fuzz
