// Each channel has at most one text under way, and the next begins where that one ended. A server
// that was killed before it recorded what was shown shows that text again.
#include "workers/reactors/foreground.hpp"

#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {
namespace {

constexpr base::Duration kDebounce = std::chrono::milliseconds(500);
// The wait behind a failure is twice as long after each; behind the last one the channel leaves the
// foreground.
constexpr base::Duration kFirstWait = std::chrono::seconds(5);
constexpr int kFailuresMax = 6;

bool is_output(const domain::Event& event) {
  return std::holds_alternative<domain::OutputRecorded>(event) ||
         std::holds_alternative<domain::ToolCallStarted>(event);
}

bool ends_turn(const domain::Event& event) {
  return std::holds_alternative<domain::TurnFinished>(event) ||
         std::holds_alternative<domain::TurnFailed>(event) ||
         std::holds_alternative<domain::TurnInterrupted>(event);
}

}  // namespace

void Foreground::begin(Place place, Position seen, base::Time due) {
  if (!has_sink_ || !domain::parse_route(place.channel)) return;
  Shown& shown = places_[std::move(place)];
  shown.seen = seen;
  shown.due = due;
}

void Foreground::restore(const domain::SessionState& session) {
  for (const auto& [channel, viewer] : session.viewers) {
    if (!viewer.is_foreground) continue;
    // What came last is not known: all that is durable is looked at.
    begin({session.agent, session.session, channel}, viewer.seen, base::Time{1});
  }
}

void Foreground::on_durable(const domain::RecordedEvent& event) {
  const auto* changed = std::get_if<domain::ForegroundChanged>(&event.event);
  if (places_.empty() && changed == nullptr) return;
  const auto stream = domain::parse_stream(event.envelope.stream);
  if (!stream || !stream->is<domain::SessionStream>()) return;
  if (changed != nullptr) {
    Place place{stream->agent, stream->id, changed->channel};
    if (!changed->is_foreground) {
      places_.erase(place);
    } else {
      begin(std::move(place), changed->seen, event.envelope.log_time);
    }
  }
  const bool is_last = std::holds_alternative<domain::SessionClosed>(event.event);
  const bool is_at_once = is_last || ends_turn(event.event);
  if (!is_at_once && !is_output(event.event)) return;
  const base::Time due = is_at_once ? event.envelope.log_time : event.envelope.log_time + kDebounce;
  for (auto at = places_.lower_bound({stream->agent, stream->id, {}});
       at != places_.end() && at->first.session == stream->id && at->first.agent == stream->agent;
       ++at) {
    Shown& shown = at->second;
    shown.has_ended |= is_last;
    if (shown.due.us == 0 || due < shown.due) {
      if (shown.failures == 0) shown.due = due;
    }
  }
}

void Foreground::submit(const Place& place, domain::SessionCommand command) {
  CommandMessage message;
  message.stream_id = place.session;
  message.agent = place.agent;
  message.id = base::CommandId::make(now_, random_);
  message.actor_kind = domain::ActorKind::server;
  message.actor = "foreground";
  message.command = std::move(command);
  commands_.submit({this, 0}, std::move(message));
}

void Foreground::take(const ShowOutcome& outcome) {
  const Place place{outcome.agent, outcome.session, outcome.channel};
  const auto found = places_.find(place);
  // Also of a channel that has left meanwhile: it has seen the text.
  if (outcome.has_shown) submit(place, domain::MarkSeen{place.channel, outcome.through});
  if (found == places_.end()) return;
  Shown& shown = found->second;
  shown.is_under_way = false;
  if (!outcome.error.empty()) {
    if (++shown.failures >= kFailuresMax) {
      submit(place, domain::SetForeground{place.channel, false});
      places_.erase(found);
    } else {
      shown.due = now_ + kFirstWait * (1 << (shown.failures - 1));
    }
    return;
  }
  shown.failures = 0;
  shown.seen = std::max(shown.seen, outcome.through);
  if (outcome.has_more) shown.due = now_;
  if (shown.has_ended && shown.due.us == 0) places_.erase(found);
}

bool Foreground::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  durable_ = cycle.durable;
  bool has_worked = false;
  while (const auto outcome = notifier_.poll_shown()) {
    has_worked = true;
    take(*outcome);
  }
  next_timer_ = base::Duration::max();
  if (!cycle.has_taken_over) return has_worked;
  for (auto& [place, shown] : places_) {
    if (shown.due.us == 0 || shown.is_under_way) continue;
    if (shown.due > now_) {
      next_timer_ = std::min(next_timer_, cycle.boot + (shown.due - now_));
      continue;
    }
    shown.due = {};
    shown.is_under_way = has_worked = true;
    notifier_.submit_show({place.agent, place.session, place.channel, shown.seen, durable_});
  }
  return has_worked;
}

}  // namespace workers
