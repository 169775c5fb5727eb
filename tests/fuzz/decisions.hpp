// What must hold of whatever is decided, whoever asked for it.
#pragma once

#include "eventlog/facts/event_codec.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/session/decide.hpp"

namespace fuzz {

// Every event of the decision can be stored, and is given to `use` with its role.
template <class Use>
void with_stored(const session::Decision& decision, Use&& use) {
  for (const session::Emitted& emitted : decision) {
    session::RecordedEvent event;
    event.event = emitted.event;
    const auto read = session::decode_facts(session::encode_facts(event));
    require(read && read->event == event.event, "what is decided can be stored");
    use(emitted.role, std::move(event));
  }
}

}  // namespace fuzz
