// Chooses the events of a page of output and turns them into items with their texts.
#include "workers/queries/output.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "workers/queries/output_page.hpp"
#include "workers/queries/session_texts.hpp"

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
  } else if (const auto* failed = std::get_if<domain::TurnFailed>(&event.event)) {
    item.kind = ItemKind::failure;
    item.turn = failed->turn;
  } else if (const auto* paused = std::get_if<domain::QueuePaused>(&event.event);
             paused != nullptr && event.envelope.content) {
    item.kind = ItemKind::failure;
  } else if (const auto* lost = std::get_if<domain::TasksLost>(&event.event)) {
    item.kind = ItemKind::failure;
    item.text = std::to_string(lost->tasks) + (lost->tasks == 1 ? " task" : " tasks") +
                " in the background ended with the agent, undone";
  } else if (const auto* unsaved = std::get_if<domain::TranscriptWritesLost>(&event.event)) {
    item.kind = ItemKind::failure;
    item.turn = unsaved->turn;
    item.text = "the agent could not write all of its transcript" +
                (unsaved->error.empty() ? "" : " (" + unsaved->error + ")") +
                "; the next agent process is told what the record holds";
  } else {
    return std::nullopt;
  }
  if (event.content) item.text = event.content->text;
  return item;
}

// Marks the calls that no result follows, of turns that are over. A page that ends before the log
// does cannot tell of its last ones.
void mark_cut_off(OutputAnswer& answer) {
  if (answer.through < answer.session.last_position) return;
  std::set<std::string> ended;
  for (const OutputItem& item : answer.items) {
    if (item.kind == ItemKind::tool_result) ended.insert(item.call);
  }
  const projections::SessionRow& row = answer.session;
  for (OutputItem& item : answer.items) {
    const bool is_open = item.kind == ItemKind::tool_call && !ended.contains(item.call);
    const bool is_under_way = item.turn == row.turn || item.turn == row.own_turn || row.tasks > 0;
    item.is_cut_off = is_open && !is_under_way;
  }
}

bool is_item(const domain::RecordedEvent& event) {
  return as_item(event).has_value();
}

// Notes on a missing text who erased it. A text that is missing otherwise is for `replay verify` to
// find.
void note_erasure(OutputItem& item, const domain::Envelope& envelope,
                  const std::vector<projections::Erasure>& erasures) {
  for (const projections::Erasure& erasure : erasures) {
    if (!domain::contains(erasure.events, envelope.version)) continue;
    item.erased_at = erasure.at;
    item.erased_by = erasure.actor;
    return;
  }
}

base::Result<OutputAnswer> output(const QuerySources& sources, const QueryBody& body,
                                  const Query& query) {
  const Position durable = query.durable;
  auto row = resolve(sources, body);
  if (!row) return tl::unexpected(row.error());
  const auto erasures = projections::read_erasures(sources.views, row->agent, row->session);
  if (!erasures) return tl::unexpected(erasures.error());
  OutputRange range;
  range.after = std::max(body.after, sources.log.first().plus(-1));
  range.before = durable.next();
  if (body.before.value > 0) range.before = std::min(range.before, body.before);
  range.is_tail = body.after.value == 0 && body.limit >= 0;
  range.blocks_max = body.limit > 0  ? static_cast<std::size_t>(body.limit)
                     : range.is_tail ? kOutputBlocksDefault
                                     : std::numeric_limits<std::size_t>::max();
  eventlog::StreamReader stream(sources.log, sources.index,
                                domain::session_stream(row->agent, row->session));
  auto page = choose_output(stream, range, is_item);
  if (!page) return tl::unexpected(page.error());

  const bool is_archived = row->opened < sources.log.first();
  OutputAnswer answer{durable,
                      std::move(*row),
                      {},
                      page->has_more,
                      page->from,
                      page->through,
                      static_cast<std::int64_t>(page->said),
                      is_archived ? query.archived : ""};
  for (eventlog::BlockEvents& block : page->blocks) {
    if (auto ok = eventlog::add_contents(sources.log, block.first, block.events); !ok) {
      return tl::unexpected(ok.error());
    }
    for (const domain::RecordedEvent& event : block.events) {
      auto item = as_item(event);
      if (event.envelope.content && !event.content) note_erasure(*item, event.envelope, *erasures);
      answer.items.push_back(std::move(*item));
    }
  }
  mark_cut_off(answer);
  return answer;
}

}  // namespace

const QueryKind kOutputQuery{kVerbOutput, QueryReads::rows_and_index,
                             projections::SessionList::kName, run_query<output>};

}  // namespace workers
