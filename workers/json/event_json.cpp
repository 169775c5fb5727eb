// Adds the envelope's fields by name, so that their order and names are this form's own.
#include "workers/json/event_json.hpp"

#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "workers/json/json.hpp"

namespace workers {
namespace {

// The server sent it, so it is not the caller who is wrong.
base::Error unreadable(base::Error error) {
  if (error.code == base::ErrorCode::invalid) error.code = base::ErrorCode::damaged;
  return error;
}

}  // namespace

bool has_file(const domain::Event& event) {
  return event.is<domain::FileAttached>() || event.is<domain::MessageFileAttached>();
}

base::Result<SeenEvent> see(const bus::FeedEvent& event) {
  auto recorded = domain::decode_facts(event.facts.bytes);
  if (!recorded) return tl::unexpected(unreadable(std::move(recorded.error())));
  recorded->envelope.position = event.position;
  if (event.content) {
    auto content = domain::decode_content(event.content->bytes);
    if (!content) return tl::unexpected(unreadable(std::move(content.error())));
    recorded->content = std::move(*content);
  }
  if (has_file(recorded->event)) {
    recorded->content.reset();
    const auto& proof = recorded->envelope.content;
    const std::int64_t bytes = proof ? proof->bytes : 0;
    return SeenEvent{std::move(*recorded), bytes};
  }
  const bool is_left_out = !event.content && event.content_bytes > 0;
  return SeenEvent{std::move(*recorded), is_left_out ? event.content_bytes : 0};
}

std::string event_json(const SeenEvent& seen) {
  const domain::Envelope& e = seen.recorded.envelope;
  JsonObject json;
  json.add("position", e.position)
      .add("time", e.log_time)
      .add("wall_time", e.wall_time)
      .add("stream", e.stream)
      .add("version", e.version)
      .add("type", e.type)
      .add("schema", e.schema)
      .add("event", e.event)
      .add("command", e.command)
      .add("correlation", e.correlation)
      .add("causation", e.causation)
      .add("actor_kind", e.actor_kind)
      .add("actor", e.actor)
      .add("token", e.token)
      .add("report_sequence", e.report_sequence)
      .add("traceparent", e.traceparent);
  json.add_raw("facts", domain::visit([](const auto& event) { return to_json(event); },
                                      seen.recorded.event));
  for (const auto& [name, raw] : seen.recorded.extra) {
    json.add_raw("later_" + name, msgpack_to_json(raw));
  }
  if (seen.recorded.content) json.add("content", seen.recorded.content->text);
  if (seen.content_bytes > 0) json.add("content_bytes", seen.content_bytes);
  return json.text();
}

std::string raw_event_json(const bus::FeedEvent& event) {
  return JsonObject()
      .add("position", event.position)
      .add_raw("raw", msgpack_to_json(event.facts.bytes))
      .text();
}

}  // namespace workers
