// Chooses the events of a page of output and turns them into items with their texts.
#include "workers/queries/output.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "workers/queries/output_page.hpp"
#include "workers/queries/session_texts.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/end_text.hpp"

namespace workers {
namespace {

constexpr std::size_t kOutputBlocksDefault = 200;  // the last blocks that the agent said

// What is asked with more than this is not looked into: a query must not hold up the server.
std::string asked_line(const domain::AskRaised& asked, const std::string& text) {
  if (text.size() <= kAskTextMax) return ask_line(asked.kind, asked.tool, read_ask(text));
  return ask_line(asked.kind, asked.tool, {}) + " (" + std::to_string(text.size()) +
         " bytes, too many to be shown here)";
}

ItemKind kind_of(domain::ImportedKind kind) {
  switch (kind) {
    case domain::ImportedKind::prompt:
      return ItemKind::prompt;
    case domain::ImportedKind::said:
      return ItemKind::said;
    case domain::ImportedKind::thought:
      return ItemKind::thought;
    case domain::ImportedKind::tool_call:
      return ItemKind::tool_call;
    case domain::ImportedKind::tool_result:
      return ItemKind::tool_result;
    case domain::ImportedKind::notice:
      return ItemKind::notice;
  }
  return ItemKind::notice;
}

void fill_in(OutputItem& item, const domain::MessageImported& message) {
  item.kind = kind_of(message.kind);
  item.turn = message.turn;
  item.tool = message.tool;
  item.call = message.call;
  item.parent = message.parent;
  item.is_error = message.is_error;
  item.model = message.model;
  item.usage = message.usage;
  if (message.said.us != 0) item.time = message.said;
}

void note_cost(OutputItem& item, const domain::TurnCost& cost) {
  item.usage = cost.usage;
  item.cost = cost.cost;
  item.took = cost.took;
}

SaidBy role_of(ItemKind kind) {
  if (kind == ItemKind::prompt) return SaidBy::user;
  const bool is_tools = kind == ItemKind::tool_call || kind == ItemKind::tool_result;
  return is_tools ? SaidBy::tool : SaidBy::assistant;
}

// What is shown, beside the events that output always shows.
struct ShownItems {
  bool has_ends = false;     // of all turns
  std::set<SaidBy> roles{};  // empty: all
  bool is_single = false;    // one event, wherever it stands in the conversation
};

// Returns the item of output that shows the event; none: output does not show it.
std::optional<OutputItem> as_item(const domain::RecordedEvent& event, bool has_ends = false) {
  OutputItem item;
  item.position = event.envelope.position;
  item.type = event.envelope.type;
  item.time = event.envelope.log_time;
  if (const auto* output = event.event.as<domain::OutputRecorded>()) {
    const bool is_thought = output->kind == domain::OutputKind::thinking;
    item.kind = is_thought ? ItemKind::thought : ItemKind::said;
    item.turn = output->turn;
    item.parent = output->parent;
  } else if (const auto* partial = event.event.as<domain::PartialOutputRecorded>()) {
    item.kind = ItemKind::said;
    item.turn = partial->turn;
  } else if (const auto* call = event.event.as<domain::ToolCallStarted>()) {
    item.kind = ItemKind::tool_call;
    item.turn = call->turn;
    item.tool = call->tool;
    item.call = call->call;
    item.parent = call->parent;
  } else if (const auto* done = event.event.as<domain::ToolCallFinished>()) {
    item.kind = ItemKind::tool_result;
    item.turn = done->turn;
    item.call = done->call;
    item.is_error = done->is_error;
    item.is_denied = done->is_denied;
    item.parent = done->parent;
  } else if (const auto* queued = event.event.as<domain::TurnQueued>()) {
    item.turn = queued->turn;
    item.files = queued->files;
  } else if (const auto* started = event.event.as<domain::TurnStarted>()) {
    item.turn = started->turn;
  } else if (const auto* cut = event.event.as<domain::TurnInterrupted>()) {
    item.kind = ItemKind::ended;
    item.turn = cut->turn;
    item.reason = cut->reason;
    note_cost(item, cut->cost);
  } else if (const auto* injected = event.event.as<domain::PromptInjected>()) {
    item.turn = injected->turn;
    item.files = injected->files;
  } else if (const auto* attached = event.event.as<domain::FileAttached>()) {
    item.turn = attached->turn;
  } else if (const auto* finished = event.event.as<domain::TurnFinished>()) {
    const bool has_text = event.envelope.content && event.envelope.content->bytes > 0;
    item.turn = finished->turn;
    note_cost(item, finished->cost);
    item.kind = has_text && finished->is_answer ? ItemKind::said : ItemKind::notice;
    if (!finished->is_answer && !has_odd_end(*finished)) {
      if (!has_ends) return std::nullopt;
      item.kind = ItemKind::ended;
      return item;
    }
    if (item.kind == ItemKind::notice) {
      item.text = end_text(*finished);
      return item;
    }
  } else if (const auto* noted = event.event.as<domain::AgentNoted>()) {
    if (!domain::is_warning(*noted)) return std::nullopt;
    item.kind = ItemKind::notice;
    item.turn = noted->turn;
    item.call = noted->call;
  } else if (const auto* mcp = event.event.as<domain::McpServersReported>()) {
    item.kind = ItemKind::notice;
    item.text = mcp_text(mcp->broken);
    if (item.text.empty()) return std::nullopt;
    return item;
  } else if (const auto* ran = event.event.as<domain::HookRan>()) {
    item.kind = ItemKind::notice;
    item.text = hook_text(*ran, event.content ? event.content->text : std::string());
    if (item.text.empty()) return std::nullopt;
    return item;
  } else if (const auto* asked = event.event.as<domain::AskRaised>()) {
    if (!domain::is_for_people(asked->kind)) return std::nullopt;
    item.kind = ItemKind::notice;
    item.turn = asked->turn;
    item.call = asked->call;
    item.tool = asked->tool;
    item.text = "request " + std::to_string(asked->ask);
    if (event.content) item.text += ": " + asked_line(*asked, event.content->text);
    return item;
  } else if (const auto* answered = event.event.as<domain::AskAnswered>()) {
    item.kind = ItemKind::notice;
    if (answered->point != domain::HookPoint::none) {
      if (answered->verdict != domain::AskVerdict::denied) return std::nullopt;
      item.text = step_text(*answered, event.content ? event.content->text : std::string());
      return item;
    }
    item.text = "request " + std::to_string(answered->ask) + " " +
                answered_text(*answered, event.content ? event.content->text : std::string(),
                              event.envelope.actor);
    return item;
  } else if (const auto* over = event.event.as<domain::AskClosed>()) {
    const bool is_step = over->point != domain::HookPoint::none;
    if (over->end == domain::AskEnd::told || is_step) return std::nullopt;
    item.kind = ItemKind::notice;
    item.text = "request " + std::to_string(over->ask) + " " + over_text(over->end);
    return item;
  } else if (const auto* denied = event.event.as<domain::ToolCallDenied>()) {
    item.kind = ItemKind::notice;
    item.turn = denied->turn;
    item.call = denied->call;
    item.tool = denied->tool;
    item.is_denied = true;
    item.text = "the call of " + denied->tool + " was denied";
    return item;
  } else if (const auto* failed = event.event.as<domain::TurnFailed>()) {
    item.kind = ItemKind::failure;
    item.turn = failed->turn;
    note_cost(item, failed->cost);
  } else if (const auto* paused = event.event.as<domain::QueuePaused>();
             paused != nullptr && event.envelope.content) {
    item.kind = ItemKind::failure;
  } else if (const auto* lost = event.event.as<domain::TasksLost>()) {
    item.kind = ItemKind::failure;
    item.text = std::to_string(lost->tasks) + (lost->tasks == 1 ? " task" : " tasks") +
                " in the background ended with the agent, undone";
  } else if (const auto* unsaved = event.event.as<domain::TranscriptWritesLost>()) {
    item.kind = ItemKind::failure;
    item.turn = unsaved->turn;
    item.text = "the agent could not write all of its transcript" +
                (unsaved->error.empty() ? "" : " (" + unsaved->error + ")") +
                "; the next agent process is told what the record holds";
  } else if (const auto* message = event.event.as<domain::MessageImported>()) {
    fill_in(item, *message);
  } else if (const auto* shared = event.event.as<domain::AgentSessionShared>()) {
    item.kind = ItemKind::notice;
    item.turn = shared->turn;
    item.text = shared_text(*shared);
    return item;
  } else {
    return std::nullopt;
  }
  if (event.content) item.text = event.content->text;
  return item;
}

// True if a turn begins or ends with the event.
bool marks_turn(const domain::RecordedEvent& event) {
  using Marks = base::Types<domain::TurnStarted, domain::OwnTurnStarted, domain::TurnFinished,
                            domain::TurnFailed, domain::TurnInterrupted>;
  const auto* message = event.event.as<domain::MessageImported>();
  return domain::is_one_of<Marks>(event.event) ||
         (message != nullptr && message->kind == domain::ImportedKind::prompt);
}

// Returns the item of an outline, for an event that marks a turn.
OutputItem as_mark(const domain::RecordedEvent& event) {
  const auto* own = event.event.as<domain::OwnTurnStarted>();
  OutputItem item = own == nullptr ? *as_item(event, true) : OutputItem{};
  item.text.clear();
  if (own == nullptr) return item;
  item.position = event.envelope.position;
  item.type = event.envelope.type;
  item.time = event.envelope.log_time;
  item.turn = own->turn;
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

// A file is shown with its prompt, and given to whoever asks for its event alone.
bool is_item(const domain::RecordedEvent& event, const ShownItems& shown) {
  if (event.event.is<domain::FileAttached>() && !shown.is_single) return false;
  const auto item = as_item(event, shown.has_ends);
  return item && (shown.roles.empty() || shown.roles.contains(role_of(item->kind)));
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
    item.left_out = 0;
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

// Puts the prompts of a page where they belong: a prompt stands where its turn was started, or
// ended unstarted. One that waits stands behind all else.
class Conversation {
 public:
  Conversation(const QuerySources& sources, eventlog::StreamReader& stream,
               const std::vector<projections::Erasure>& erasures, const ShownItems& shown)
      : sources_(sources),
        stream_(stream),
        erasures_(erasures),
        is_single_(shown.is_single),
        has_ends_(shown.has_ends) {}

  // Finds the prompts that the page's turns had, from the page backwards.
  base::Result<void> find_prompts(const OutputPage& page) {
    if (is_single_) return {};
    std::set<base::TurnId> wanted;
    for (const eventlog::BlockEvents& block : page.blocks) {
      for (const domain::RecordedEvent& event : block.events) look(event, wanted);
    }
    if (wanted.empty()) return {};
    const auto behind = stream_.version_behind(page.from.plus(-1));
    if (!behind) return tl::unexpected(behind.error());
    std::size_t looked_at = 0;
    for (base::StreamVersion version = *behind;
         version.value >= 1 && !wanted.empty() && looked_at < kOutputEventsMax;) {
      auto block = stream_.block_of(version);
      if (!block) return tl::unexpected(block.error());
      // The page begins within a block, or behind the last one.
      const bool is_past_end = block->events.empty() && version == *behind;
      if (is_past_end) {
        version = version.plus(-1);
        continue;
      }
      if (block->events.empty() || block->events.front().envelope.version > version) break;
      const base::StreamVersion first = block->events.front().envelope.version;
      looked_at += block->events.size();
      std::erase_if(block->events, [&](const domain::RecordedEvent& event) {
        return event.envelope.position >= page.from;
      });
      std::reverse(block->events.begin(), block->events.end());
      std::erase_if(block->events, [&](const domain::RecordedEvent& event) {
        return !is_answer_for(event, wanted);
      });
      std::reverse(block->events.begin(), block->events.end());
      if (auto ok = take_texts(*block); !ok) return ok;
      for (domain::RecordedEvent& event : block->events) keep(std::move(event));
      version = first.plus(-1);
    }
    return {};
  }

  // Adds the item of an event of the page, and what it brings to light.
  void add(const domain::RecordedEvent& event, std::vector<OutputItem>& items) {
    OutputItem item = with_erasure(event);
    if (is_single_) return items.push_back(std::move(item));
    if (item.type == domain::TurnQueued::kType) return keep(event);
    if (item.type == domain::TurnStarted::kType) {
      started_.insert(item.turn);
      if (auto prompt = prompt_at(item)) items.push_back(std::move(*prompt));
      return;
    }
    if (item.kind == ItemKind::ended && !started_.contains(item.turn)) {
      if (auto prompt = prompt_at(item)) items.push_back(std::move(*prompt));
    }
    items.push_back(std::move(item));
  }

  // Adds the prompts that wait now.
  base::Result<void> add_waiting(const std::vector<Position>& prompts,
                                 std::vector<OutputItem>& items) {
    for (const Position& prompt : prompts) {
      const auto version = stream_.version_behind(prompt.plus(-1));
      if (!version) return tl::unexpected(version.error());
      auto block = stream_.block_of(*version);
      if (!block) return tl::unexpected(block.error());
      std::erase_if(block->events, [&](const domain::RecordedEvent& event) {
        return event.envelope.position != prompt;
      });
      if (auto ok = take_texts(*block); !ok) return ok;
      for (const domain::RecordedEvent& event : block->events) {
        items.push_back(with_erasure(event));
        items.back().is_queued = true;
      }
    }
    return {};
  }

 private:
  // Adds the texts of prompts from elsewhere, as long as there is room for them.
  base::Result<void> take_texts(eventlog::BlockEvents& block) {
    const auto has_room = [&](const domain::RecordedEvent& event) {
      const std::int64_t bytes = event.envelope.content ? event.envelope.content->bytes : 0;
      if (bytes > text_room_) return false;
      text_room_ -= bytes;
      return true;
    };
    const auto left_out = std::stable_partition(block.events.begin(), block.events.end(), has_room);
    std::vector<domain::RecordedEvent> rest(std::make_move_iterator(left_out),
                                            std::make_move_iterator(block.events.end()));
    block.events.erase(left_out, block.events.end());
    for (const domain::RecordedEvent& event : rest) left_out_.insert(event.envelope.position);
    auto added = eventlog::add_contents(sources_.whole, block.first, block.events);
    std::move(rest.begin(), rest.end(), std::back_inserter(block.events));
    return added;
  }

  // Notes the turns of which the page shows no prompt, though it needs one.
  void look(const domain::RecordedEvent& event, std::set<base::TurnId>& wanted) {
    if (const auto* queued = event.event.as<domain::TurnQueued>()) {
      known_.insert(queued->turn);
    } else if (const auto* started = event.event.as<domain::TurnStarted>()) {
      if (!known_.contains(started->turn)) wanted.insert(started->turn);
      known_.insert(started->turn);
    } else if (const auto* own = event.event.as<domain::OwnTurnStarted>()) {
      known_.insert(own->turn);
    } else if (const auto* cut = event.event.as<domain::TurnInterrupted>()) {
      if (!known_.contains(cut->turn)) wanted.insert(cut->turn);
      known_.insert(cut->turn);
    }
  }
  // True if the event says of a turn that is looked for what was its prompt, or that it was started
  // before the page.
  bool is_answer_for(const domain::RecordedEvent& event, std::set<base::TurnId>& wanted) {
    if (const auto* queued = event.event.as<domain::TurnQueued>()) {
      return wanted.erase(queued->turn) > 0;
    }
    base::TurnId turn;
    if (const auto* started = event.event.as<domain::TurnStarted>()) turn = started->turn;
    if (const auto* own = event.event.as<domain::OwnTurnStarted>()) turn = own->turn;
    // A turn that is started again within the page still needs its prompt.
    if (turn.is_set() && wanted.contains(turn)) started_.insert(turn);
    return false;
  }

  void keep(domain::RecordedEvent event) {
    prompts_.insert_or_assign(event.event.get<domain::TurnQueued>().turn, std::move(event));
  }

  OutputItem with_erasure(const domain::RecordedEvent& event) const {
    OutputItem item = *as_item(event, has_ends_);
    if (left_out_.contains(event.envelope.position)) item.left_out = event.envelope.content->bytes;
    if (event.envelope.content) note_erasure(item, event.envelope, erasures_);
    return item;
  }

  // Returns the prompt of the item's turn, at the item's place; none: it is not known.
  std::optional<OutputItem> prompt_at(const OutputItem& place) const {
    const auto found = prompts_.find(place.turn);
    if (found == prompts_.end()) return std::nullopt;
    OutputItem item = with_erasure(found->second);
    item.text_at = std::exchange(item.position, place.position);
    item.time = place.time;
    return item;
  }

  const QuerySources& sources_;
  eventlog::StreamReader& stream_;
  const std::vector<projections::Erasure>& erasures_;
  const bool is_single_;
  const bool has_ends_;
  std::map<base::TurnId, domain::RecordedEvent> prompts_;
  std::int64_t text_room_ = kOutputTextBytesMax;  // for texts of prompts from elsewhere
  std::set<Position> left_out_;                   // those of which there was no room
  std::set<base::TurnId> known_;
  std::set<base::TurnId> started_;
};

base::Result<OutputAnswer> output(const QuerySources& sources, const QueryBody& body,
                                  const Query& query) {
  const Position durable = query.durable;
  auto row = resolve(sources, body);
  if (!row) return tl::unexpected(row.error());
  const auto erasures =
      projections::read_erasures(sources.views, domain::session_stream(row->agent, row->session));
  if (!erasures) return tl::unexpected(erasures.error());
  // Archives are opened only for a page that can begin in them.
  const bool is_behind = body.after.next() >= sources.log.first();
  const bool is_held = is_behind || sources.whole.holds(row->opened);
  OutputRange range;
  range.after = std::max(body.after, sources.whole.first().plus(-1));
  range.before = durable.next();
  if (body.before.value > 0) range.before = std::min(range.before, body.before);
  range.is_tail = body.after.value == 0 && body.limit >= 0;
  const bool counts_blocks = body.limit > 0 && !body.is_transcript;
  if (body.limit > 0 && body.is_transcript) range.items_max = static_cast<std::size_t>(body.limit);
  range.blocks_max = counts_blocks ? static_cast<std::size_t>(body.limit)
                     : range.is_tail && !body.is_transcript
                         ? kOutputBlocksDefault
                         : std::numeric_limits<std::size_t>::max();
  eventlog::StreamReader stream(sources.whole, sources.index,
                                domain::session_stream(row->agent, row->session));
  if (is_held && !is_behind) {
    if (auto ok = find_archived(sources, *row, stream); !ok) return tl::unexpected(ok.error());
  }
  // Whoever asks for one event wants its text, wherever it stands in the conversation.
  const bool is_single = body.after.value > 0 && body.before == body.after.next().next();
  const ShownItems shown{body.is_transcript, body.roles, is_single};
  auto page = choose_output(stream, range, [&](const domain::RecordedEvent& event) {
    return body.is_outline ? marks_turn(event) : is_item(event, shown);
  });
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
  if (body.is_outline) {
    for (const eventlog::BlockEvents& block : page->blocks) {
      for (const domain::RecordedEvent& event : block.events) {
        answer.items.push_back(as_mark(event));
      }
    }
    return answer;
  }
  Conversation conversation(sources, stream, *erasures, shown);
  if (auto ok = conversation.find_prompts(*page); !ok) return tl::unexpected(ok.error());
  for (eventlog::BlockEvents& block : page->blocks) {
    if (auto ok = eventlog::add_contents(sources.whole, block.first, block.events); !ok) {
      return tl::unexpected(ok.error());
    }
    for (const domain::RecordedEvent& event : block.events) conversation.add(event, answer.items);
  }
  const bool wants_prompts = body.roles.empty() || body.roles.contains(SaidBy::user);
  if (is_single || !wants_prompts || page->through != durable ||
      (page->has_more && !range.is_tail)) {
    return answer;
  }
  const auto waiting =
      projections::waiting_prompts(sources.views, answer.session.agent, answer.session.session);
  if (!waiting) return tl::unexpected(waiting.error());
  if (auto ok = conversation.add_waiting(*waiting, answer.items); !ok) {
    return tl::unexpected(ok.error());
  }
  mark_cut_off(answer);
  return answer;
}

}  // namespace

const QueryKind kOutputQuery{kVerbOutput, QueryReads::rows_and_index,
                             projections::SessionList::kName, run_query<output>};

}  // namespace workers
