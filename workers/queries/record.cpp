// A page begins behind a position and ends where its texts are enough; the last one can exceed
// that.
#include "workers/queries/record.hpp"

#include <algorithm>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/session/session.hpp"
#include "eventlog/log/stream_reader.hpp"
#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

using base::StreamVersion;
using domain::RecordedEvent;

constexpr std::size_t kRecordBytesMax = std::size_t{4} << 20;
constexpr std::size_t kRecordEventsMax = 10'000;

std::size_t bytes_of(const RecordedEvent& event) {
  const std::int64_t text = event.envelope.content ? event.envelope.content->bytes : 0;
  return static_cast<std::size_t>(text) + 300;
}

bus::FeedEvent as_event(const RecordedEvent& event) {
  bus::FeedEvent out;
  out.position = event.envelope.position;
  out.facts.bytes = domain::encode_facts(event);
  if (event.content) out.content = base::Binary{domain::encode_content(*event.content)};
  return out;
}

base::Result<RecordAnswer> record(const QuerySources& sources, const QueryBody& body,
                                  const Query& query) {
  auto row = resolve(sources, body);
  if (!row) return tl::unexpected(row.error());
  eventlog::StreamReader stream(sources.whole, sources.index,
                                domain::session_stream(row->agent, row->session));
  RecordAnswer answer;
  answer.position = query.durable;
  answer.through = query.durable;
  if (row->opened < sources.log.first() && !sources.whole.holds(row->opened)) {
    answer.archived = query.archived.text();
  }
  answer.session = std::move(*row);
  auto version = stream.version_behind(body.after);
  if (!version) return tl::unexpected(version.error());
  std::size_t bytes = 0;
  while (!answer.has_more) {
    auto block = stream.block_of(*version);
    if (!block) return tl::unexpected(block.error());
    if (block->events.empty()) break;
    *version = block->events.back().envelope.version.next();
    std::erase_if(block->events, [&](const RecordedEvent& event) {
      return event.envelope.position <= body.after || event.envelope.position > query.durable;
    });
    const auto end =
        std::find_if(block->events.begin(), block->events.end(), [&](const RecordedEvent& event) {
          const bool is_full = bytes >= kRecordBytesMax || answer.events.size() >= kRecordEventsMax;
          bytes += bytes_of(event);
          return is_full;
        });
    if (end != block->events.end()) {
      answer.has_more = true;
      answer.through = end->envelope.position.plus(-1);
      block->events.erase(end, block->events.end());
    }
    if (auto ok = eventlog::add_contents(sources.whole, block->first, block->events); !ok) {
      return tl::unexpected(ok.error());
    }
    for (const RecordedEvent& event : block->events) answer.events.push_back(as_event(event));
    if (bytes >= kRecordBytesMax && !answer.has_more) {
      answer.has_more = true;
      if (!answer.events.empty()) answer.through = answer.events.back().position;
    }
  }
  return answer;
}

}  // namespace

const QueryKind kRecordQuery{kVerbRecord, QueryReads::rows_and_index,
                             projections::SessionList::kName, run_query<record>};

}  // namespace workers
