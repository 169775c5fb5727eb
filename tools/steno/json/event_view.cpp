// Prints facts by walking an event's fields beside those of a default one, and skips equal ones.
#include "tools/steno/json/event_view.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "tools/steno/json/json_view.hpp"
#include "tools/steno/text/terminal_text.hpp"

namespace steno {
namespace {

std::string fact(const std::string& value) {
  return cut_to_columns(safe_line(value), 40);
}
std::string fact(base::NanoUsd value) {
  return usd_text(value);
}
std::string fact(base::Duration value) {
  return exact_duration_text(value);
}
template <class Tag>
std::string fact(const base::Id<Tag>& value) {
  return short_id(value.text());
}
template <class Enum>
requires std::is_enum_v<Enum> std::string fact(Enum value) {
  return std::string(base::enum_name(value));
}
template <class T>
requires std::is_integral_v<T> std::string fact(T value) {
  return to_json(value);
}
template <class Tag>
std::string fact(const base::StrongInteger<Tag>& value) {
  return std::to_string(value.value);
}
// Shows the first bytes only: such values are for programs to compare.
template <std::size_t N>
std::string fact(const std::array<char, N>& value) {
  constexpr std::size_t kShown = 8;
  return base::to_hex({value.data(), std::min(N, kShown)}) + (N > kShown ? "…" : "");
}
std::string fact(const base::RawValue& value) {
  return fact(msgpack_to_json(value.encoded));
}
std::string fact(const domain::VersionRanges& ranges) {
  std::string text;
  for (const domain::VersionRange& range : ranges) {
    if (!text.empty()) text += ',';
    text += fact(range.first);
    if (range.last != range.first) text += '-' + fact(range.last);
  }
  return fact(text);
}
std::string fact(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += ',';
    text += value;
  }
  return fact(text);
}

template <base::detail::HasFields T>
void add_facts(std::string& text, const T& value) {
  [[maybe_unused]] static const T kDefault{};  // GCC does not see the use in the lambda
  T::fields([&](const char* name, auto member) {
    const auto& field = value.*member;
    using Field = std::remove_cvref_t<decltype(field)>;
    if (field == kDefault.*member) return;
    if constexpr (base::detail::HasFields<Field>) {
      add_facts(text, field);
    } else {
      if (!text.empty()) text += ' ';
      std::string_view shown = name;
      // A duration is shown with its unit, so the unit in its name is dropped.
      if (std::is_same_v<Field, base::Duration> && shown.ends_with("_us")) shown.remove_suffix(3);
      text += shown;
      text += '=';
      text += fact(field);
    }
  });
}

}  // namespace

Outcome<SeenEvent> see(const bus::FeedEvent& event) {
  auto recorded = domain::decode_facts(event.facts.bytes);
  if (!recorded) return fail(recorded.error());
  recorded->envelope.position = event.position;
  if (event.content) {
    auto content = domain::decode_content(event.content->bytes);
    if (!content) return fail(kExitFailed, base::describe(content.error()));
    recorded->content = std::move(*content);
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
  json.add_raw("facts",
               std::visit([](const auto& event) { return to_json(event); }, seen.recorded.event));
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

std::string facts_text(const domain::Event& event) {
  std::string text;
  std::visit([&](const auto& e) { add_facts(text, e); }, event);
  return text;
}

std::string short_id(std::string_view id_text) {
  constexpr std::size_t kShown = 6;
  return "…" + std::string(id_text.substr(id_text.size() - std::min(kShown, id_text.size())));
}

}  // namespace steno
