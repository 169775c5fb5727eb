// `interrupt` and `events`: what programs do with one session's turns.
#include <algorithm>
#include <chrono>
#include <utility>

#include "workers/json/event_json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace workers {
namespace {

// Whoever waits for an event hears of it about so late.
constexpr base::Duration kLookEvery = std::chrono::milliseconds(50);

std::string json_of(const bus::FeedEvent& event) {
  const auto seen = see(event);
  return seen ? event_json(*seen) : raw_event_json(event);
}

bool wants_more(const EventPage& page, const EventsArguments& arguments) {
  const bool has_all = !page.events.empty() && page.through >= page.row.last_position;
  return static_cast<std::int64_t>(page.events.size()) < arguments.limit && !has_all;
}

}  // namespace

Task<Outcome<InterruptedTurn>> interrupt_one(const Caller& caller,
                                             const InterruptArguments& arguments) {
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  auto reply = co_await interrupt_session(caller, shown->session);
  if (!reply) co_return tl::unexpected(reply.error());
  co_return InterruptedTurn{std::move(shown->session), std::move(*reply)};
}

Task<Outcome<EventPage>> list_events(const Caller& caller, const EventsArguments& arguments) {
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  EventPage answer;
  answer.row = std::move(shown->session);
  const projections::SessionRow& row = answer.row;
  answer.through = std::max(base::Position{arguments.after}, row.opened.plus(-1));
  if (answer.through > shown->position) {
    co_return refuse(OperationError::usage, "after is " + std::to_string(answer.through.value) +
                                                ", and the log ends at " +
                                                std::to_string(shown->position.value) +
                                                "; take `through` of the last answer");
  }
  // Events that are there are read. Else the first one is waited for.
  const bool is_there = row.last_position > answer.through;
  base::Clock& clock = caller.server.clock();
  const base::Duration until = clock.boot() + std::chrono::milliseconds(arguments.wait_ms);
  bus::ReadRequest read;
  read.level = session_level(row.agent, row.session);
  read.after = answer.through;
  while (wants_more(answer, arguments) && (is_there || clock.boot() < until)) {
    read.events_max = arguments.limit - static_cast<std::int64_t>(answer.events.size());
    const auto page = co_await caller.server.ask<bus::LogPage>(bus::kReadVerb, read);
    if (!page) co_return tl::unexpected(page.error());
    for (const bus::FeedEvent& event : page->events) {
      if (!wants_more(answer, arguments)) break;
      answer.through = event.position;
      answer.events.push_back(json_of(event));
    }
    const bool is_at_end = page->complete_through >= page->head;
    read.after = page->complete_through;
    if (!wants_more(answer, arguments) || !is_at_end) continue;
    // The log ends here, whatever the row said: its end is archived, say.
    if (is_there) break;
    auto pause = caller.server.after(std::min(kLookEvery, until - clock.boot()));
    co_await pause;
  }
  co_return answer;
}

}  // namespace workers
