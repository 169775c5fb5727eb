// Events of the log in the form that programs see.
#pragma once

#include <string>

#include "bus/feed_message.hpp"
#include "eventlog/domain/recorded_event.hpp"

namespace workers {

// An event of the feed. content_bytes > 0: its content is left out. It was too large to travel with
// the event, or is a file, and no text.
struct SeenEvent {
  domain::RecordedEvent recorded;
  std::int64_t content_bytes = 0;
};

// True if the event's content is a file, and no text.
bool has_file(const domain::Event& event);

// Error wrong_log: the event's type is of a later release. Error damaged: bytes that are not an
// event, or not a content.
base::Result<SeenEvent> see(const bus::FeedEvent& event);

// Returns the whole event on one line: envelope, facts, content.
std::string event_json(const SeenEvent& seen);
// Returns an event that is not understood: its bytes, as far as they are msgpack.
std::string raw_event_json(const bus::FeedEvent& event);

}  // namespace workers
