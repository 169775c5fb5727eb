// What must hold of whatever is decided, whoever asked for it.
#pragma once

#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fuzz {

// Every event of the decision can be stored, and is given to `use` with its stream; empty: the
// target.
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
