// Events of the log in the form that people and programs see.
#pragma once

#include <string>

#include "bus/feed_message.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

// An event of the feed. content_bytes > 0: its content was too large to travel with it.
struct SeenEvent {
  domain::RecordedEvent recorded;
  std::int64_t content_bytes = 0;
};

// Failure kExitWrongLog: the event's type is of a later release.
Outcome<SeenEvent> see(const bus::FeedEvent& event);

// Returns the whole event on one line: envelope, facts, content.
std::string event_json(const SeenEvent& seen);
// Returns an event that is not understood: its bytes, as far as they are msgpack.
std::string raw_event_json(const bus::FeedEvent& event);

// Returns the facts that are not at their default, safe and on one line: "turn=…a1b2c3
// cost=0.0123".
std::string facts_text(const domain::Event& event);

// Returns the end of an id, since its start is only the time: "…a1b2c3".
std::string short_id(std::string_view id_text);

}  // namespace steno
