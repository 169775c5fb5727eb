// `interrupt` and `events`: what programs do with one session's turns.
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/operations/ending.hpp"
#include "tools/steno/operations/handlers.hpp"
#include "tools/steno/operations/session_json.hpp"
#include "workers/json/event_json.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace steno {

Outcome<Answer> interrupt_one(const Caller& caller, const InterruptArguments& arguments) {
  const auto shown = caller.connection.find(arguments.session);
  if (!shown) return tl::unexpected(shown.error());
  const auto reply = interrupt_session(caller.connection, shown->session);
  if (!reply) return tl::unexpected(reply.error());
  Answer answer;
  answer.value = session_brief_json(shown->session);
  answer.value["status"] = base::enum_name(reply->status);
  answer.text = "interrupting " + shown->session.name + " [" + shown->session.alias + "]";
  return answer;
}

Outcome<Answer> list_events(const Caller& caller, const EventsArguments& arguments) {
  Connection& connection = caller.connection;
  const auto shown = connection.find(arguments.session);
  if (!shown) return tl::unexpected(shown.error());
  const projections::SessionRow& row = shown->session;
  const base::Position first = row.opened.plus(-1);
  const base::Position after = std::max(base::Position{arguments.after}, first);
  if (after > shown->position) {
    return fail(kExitUsage, "after is " + std::to_string(after.value) + ", and the log ends at " +
                                std::to_string(shown->position.value) +
                                "; take `through` of the last answer");
  }
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["events"] = Json::array();
  base::Position through = after;
  auto follower = Follower::open(connection, workers::session_level(row.agent, row.session), after);
  if (!follower) return tl::unexpected(follower.error());
  // What is there is read with the time that a request has, and what is not is waited for.
  const bool is_there = row.last_position > after;
  WaitFor wanted;
  wanted.until = connection.clock().boot() +
                 (is_there ? connection.config().timeout
                           : base::Duration(std::chrono::milliseconds(arguments.wait_ms)));
  Json& events = answer.value["events"];
  while (static_cast<std::int64_t>(events.size()) < arguments.limit) {
    if (!events.empty() && through >= row.last_position) break;
    if (!is_there && arguments.wait_ms == 0) break;
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake == Wake::interrupted) return fail(kExitInterrupted, "the gateway ends");
    if (*wake != Wake::event) break;
    const bus::FeedEvent& event = (*follower)->event();
    const auto seen = workers::see(event);
    through = event.position;
    events.push_back(
        Json::parse(seen ? workers::event_json(*seen) : workers::raw_event_json(event)));
  }
  answer.value["through"] = through.value;
  answer.value["hasMore"] = through < row.last_position;
  answer.text = std::to_string(events.size()) + " events";
  return answer;
}

}  // namespace steno
