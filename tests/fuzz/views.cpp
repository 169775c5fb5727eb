// Events and texts of agents as people and programs see them: always valid JSON, always safe text.
#include <nlohmann/json.hpp>

#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tests/fuzz/values.hpp"
#include "tools/steno/text/facts_text.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/text/terminal_text.hpp"
#include "workers/text/tool_summary.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;

bool is_json(const std::string& text) {
  return base::is_utf8(text) && nlohmann::json::accept(text);
}

// Requires that no control character passes, except line ends and tabs if `has_lines`.
void check_safe(const std::string& text, bool has_lines) {
  require(base::is_utf8(text), "safe text is UTF-8");
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_blank = has_lines && (c == '\n' || c == '\t');
    require(is_blank || (byte >= 0x20 && byte != 0x7F), "safe text has no control characters");
  }
  require(text.find("\xC2\x9B") == std::string::npos, "nor those beyond ASCII");
}

void show_event(const bus::FeedEvent& event) {
  require(is_json(workers::raw_event_json(event)), "an event's bytes are shown as JSON");
  const auto seen = workers::see(event);
  if (!seen) return;
  require(is_json(workers::event_json(*seen)), "an event is shown as JSON");
  check_safe(steno::facts_text(seen->recorded.event), false);
}

void show_text(ByteView text) {
  const std::string line = workers::safe_line(text);
  check_safe(line, false);
  check_safe(workers::safe_text(text), true);
  const std::string cut = workers::cut_to_columns(line, 20);
  check_safe(cut, false);
  require(workers::columns_of(cut) <= 20, "a cut line fits");
  require(is_json(workers::json_text(text)), "any text is shown as JSON");
}

bus::FeedEvent build(fuzz::Source& source) {
  const auto types = domain::event_types();
  domain::RecordedEvent event;
  event.event = *domain::make_event(types[source.byte() % types.size()]);
  fuzz::SourceRandom random(source);
  support::RandomValue values(random, false);
  values.fill(event.envelope);
  domain::visit([&](auto& e) { values.fill(e); }, event.event);
  if (source.byte() % 4 == 0) {
    Bytes value;
    base::encode_to(value, std::string(source.piece()));
    event.extra.emplace_back(source.piece(), value);
  }
  bus::FeedEvent feed;
  feed.facts.bytes = domain::encode_facts(event);
  fuzz::damage(source, feed.facts.bytes);
  if (source.byte() % 2 == 0) {
    feed.content = base::Binary{domain::encode_content({Bytes(source.piece())})};
  }
  return feed;
}

}  // namespace

// The first byte chooses: 0 facts as they come, 1 an event that the rest describes, 2 text, 3 a
// tool call, 4 msgpack.
void fuzz::run(ByteView in) {
  Source source(in);
  switch (source.byte() % 5) {
    case 0: {
      bus::FeedEvent event;
      event.facts.bytes = source.rest();
      return show_event(event);
    }
    case 1:
      return show_event(build(source));
    case 2:
      return show_text(source.rest());
    case 3: {
      const ByteView tool = source.piece();
      return check_safe(workers::tool_line(tool, source.rest()), false);
    }
    default:
      require(is_json(workers::msgpack_to_json(source.rest())), "msgpack is shown as JSON");
  }
}
