// Chooses the events of a page of output and turns them into items with their texts.
#include "workers/queries/output.hpp"

#include <algorithm>
#include <limits>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "workers/queries/output_page.hpp"
#include "workers/queries/session_texts.hpp"
#include "workers/text/end_text.hpp"

namespace workers {
namespace {

constexpr std::size_t kOutputBlocksDefault = 200;  // the last blocks that the agent said

// Returns the item of output that shows the event; none: output does not show it.
std::optional<OutputItem> as_item(const domain::RecordedEvent& event) {
  OutputItem item;
  item.position = event.envelope.position;
  item.type = event.envelope.type;
  item.time = event.envelope.log_time;
  if (const auto* output = std::get_if<domain::OutputRecorded>(&event.event)) {
    const bool is_thought = output->kind == domain::OutputKind::thinking;
    item.kind = is_thought ? ItemKind::thought : ItemKind::said;
    item.turn = output->turn;
    item.parent = output->parent;
  } else if (const auto* partial = std::get_if<domain::PartialOutputRecorded>(&event.event)) {
    item.kind = ItemKind::said;
    item.turn = partial->turn;
  } else if (const auto* call = std::get_if<domain::ToolCallStarted>(&event.event)) {
    item.kind = ItemKind::tool_call;
    item.turn = call->turn;
    item.tool = call->tool;
    item.call = call->call;
    item.parent = call->parent;
  } else if (const auto* done = std::get_if<domain::ToolCallFinished>(&event.event)) {
    item.kind = ItemKind::tool_result;
    item.turn = done->turn;
    item.call = done->call;
    item.is_error = done->is_error;
    item.is_denied = done->is_denied;
    item.parent = done->parent;
  } else if (const auto* queued = std::get_if<domain::TurnQueued>(&event.event)) {
    item.turn = queued->turn;
  } else if (const auto* injected = std::get_if<domain::PromptInjected>(&event.event)) {
    item.turn = injected->turn;
  } else if (const auto* finished = std::get_if<domain::TurnFinished>(&event.event)) {
    const bool has_text = event.envelope.content && event.envelope.content->bytes > 0;
    item.turn = finished->turn;
    item.kind = has_text && finished->is_answer ? ItemKind::said : ItemKind::notice;
    if (!finished->is_answer && !has_odd_end(*finished)) return std::nullopt;
    if (item.kind == ItemKind::notice) {
      item.text = end_text(*finished);
      return item;
    }
  } else if (const auto* noted = std::get_if<domain::AgentNoted>(&event.event)) {
    if (!domain::is_warning(*noted)) return std::nullopt;
    item.kind = ItemKind::notice;
    item.turn = noted->turn;
    item.call = noted->call;
  } else if (const auto* mcp = std::get_if<domain::McpServersReported>(&event.event)) {
    item.kind = ItemKind::notice;
    item.text = mcp_text(mcp->broken);
    if (item.text.empty()) return std::nullopt;
    return item;
  } else if (const auto* denied = std::get_if<domain::ToolCallDenied>(&event.event)) {
    item.kind = ItemKind::notice;
    item.turn = denied->turn;
    item.call = denied->call;
    item.tool = denied->tool;
    item.is_denied = true;
    item.text = "the call of " + denied->tool + " was denied";
    return item;
  } else if (const auto* failed = std::get_if<domain::TurnFailed>(&event.event)) {
    item.kind = ItemKind::failure;
    item.turn = failed->turn;
  } else {
    return std::nullopt;
  }
  if (event.content) item.text = event.content->text;
  return item;
}

bool is_item(const domain::RecordedEvent& event) {
  return as_item(event).has_value();
}

// Notes on a text who erased it, and leaves it out: a copy of the log can still hold it. A text
// that is missing otherwise is for `replay verify` to find.
void note_erasure(OutputItem& item, const domain::Envelope& envelope,
                  const std::vector<projections::Erasure>& erasures) {
  for (const projections::Erasure& erasure : erasures) {
    if (!domain::contains(erasure.events, envelope.version)) continue;
    item.erased_at = erasure.at;
    item.erased_by = erasure.actor;
    item.text.clear();
    return;
  }
}

// Makes `stream` find what was archived, if the index does not know it: an index that was built
// anew begins with the log.
base::Result<void> find_archived(const QuerySources& sources, const projections::SessionRow& row,
                                 eventlog::StreamReader& stream) {
  if (row.opened >= sources.log.first()) return {};
  const auto first = sources.index.blocks_between(domain::session_stream(row.agent, row.session),
                                                  base::StreamVersion{1}, base::StreamVersion{1});
  if (!first) return tl::unexpected(first.error());
  if (!first->empty() && first->front().first <= row.opened) return {};
  return stream.list(row.opened, std::min(row.last_position, sources.log.first().plus(-1)));
}

base::Result<OutputAnswer> output(const QuerySources& sources, const QueryBody& body,
                                  const Query& query) {
  const Position durable = query.durable;
  auto row = resolve(sources, body);
  if (!row) return tl::unexpected(row.error());
  const auto erasures = projections::read_erasures(sources.views, row->agent, row->session);
  if (!erasures) return tl::unexpected(erasures.error());
  // Archives are opened only for a page that can begin in them.
  const bool is_behind = body.after.next() >= sources.log.first();
  const bool is_held = is_behind || sources.whole.holds(row->opened);
  OutputRange range;
  range.after = std::max(body.after, sources.whole.first().plus(-1));
  range.before = durable.next();
  if (body.before.value > 0) range.before = std::min(range.before, body.before);
  range.is_tail = body.after.value == 0 && body.limit >= 0;
  range.blocks_max = body.limit > 0  ? static_cast<std::size_t>(body.limit)
                     : range.is_tail ? kOutputBlocksDefault
                                     : std::numeric_limits<std::size_t>::max();
  eventlog::StreamReader stream(sources.whole, sources.index,
                                domain::session_stream(row->agent, row->session));
  if (is_held && !is_behind) {
    if (auto ok = find_archived(sources, *row, stream); !ok) return tl::unexpected(ok.error());
  }
  auto page = choose_output(stream, range, is_item);
  if (!page) return tl::unexpected(page.error());

  const bool is_archived = row->opened < sources.log.first() && !is_held;
  OutputAnswer answer{durable,
                      std::move(*row),
                      {},
                      page->has_more,
                      page->from,
                      page->through,
                      static_cast<std::int64_t>(page->said),
                      is_archived ? query.archived.text() : ""};
  for (eventlog::BlockEvents& block : page->blocks) {
    if (auto ok = eventlog::add_contents(sources.whole, block.first, block.events); !ok) {
      return tl::unexpected(ok.error());
    }
    for (const domain::RecordedEvent& event : block.events) {
      auto item = as_item(event);
      if (event.envelope.content) note_erasure(*item, event.envelope, *erasures);
      answer.items.push_back(std::move(*item));
    }
  }
  return answer;
}

}  // namespace

const QueryKind kOutputQuery{kVerbOutput, QueryReads::rows_and_index,
                             projections::SessionList::kName, run_query<output>};

}  // namespace workers
