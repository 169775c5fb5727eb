// Each channel has at most one text under way, and the next begins where that one ended. A server
// that was killed before it recorded what was shown shows that text again.
#include "workers/reactors/foreground.hpp"

#include <tuple>

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
  return event.is<domain::OutputRecorded>() || event.is<domain::ToolCallStarted>();
}

bool ends_turn(const domain::Event& event) {
  return event.is<domain::TurnFinished>() || event.is<domain::TurnFailed>() ||
         event.is<domain::TurnInterrupted>();
}

}  // namespace

void Foreground::begin_showing(const Place& place, domain::Viewer viewer, base::Time due,
                               bool has_ended) {
  const bool has_sink = domain::has_sink(commands_.limits(), domain::NotificationTarget::channel);
  if (!has_sink || !domain::parse_route(place.channel)) return;
  Shown& shown = places_[place];
  const auto before = std::pair(shown.seen, shown.further_bytes);
  std::tie(shown.seen, shown.further_bytes) =
      std::max(before, std::pair(viewer.seen, viewer.further_bytes));
  shown.due = due;
  shown.has_left = false;
  shown.has_ended |= has_ended;
}

void Foreground::leave(const Place& place) {
  const auto found = places_.find(place);
  if (found == places_.end()) return;
  found->second.has_left = true;
  if (!found->second.is_under_way) places_.erase(found);
}

void Foreground::restore(const projections::StreamUnderWay& stream) {
  const auto* session = std::get_if<domain::SessionState>(&stream.state);
  if (session == nullptr) return;
  for (const auto& [channel, viewer] : *session->viewers) {
    if (!viewer.is_foreground) continue;
    // The last event is not known: all that is durable is looked at.
    begin_showing({session->agent, session->session, channel}, viewer, base::Time{1},
                  !domain::is_live(session->status));
  }
}

void Foreground::on_durable(const domain::RecordedEvent& event) {
  const auto* changed = event.event.as<domain::ForegroundChanged>();
  if (places_.empty() && changed == nullptr) return;
  const auto stream = domain::parse_stream(event.envelope.stream);
  if (!stream || !stream->is<domain::SessionStream>()) return;
  if (changed != nullptr) {
    const Place place{stream->agent, stream->id, changed->channel};
    if (changed->is_foreground) {
      const auto* state = commands_.find<domain::SessionStream>(event.envelope.stream);
      const bool has_ended = state != nullptr && !domain::is_live(state->status);
      // The state can be ahead of the event, and then knows what was shown since.
      domain::Viewer viewer{true, changed->seen};
      if (state != nullptr && state->viewers->contains(place.channel)) {
        viewer = state->viewers->at(place.channel);
      }
      begin_showing(place, viewer, event.envelope.log_time, has_ended);
      // Its end, and what came before, may not be durable yet.
      const auto begun = places_.find(place);
      if (has_ended && begun != places_.end()) begun->second.recorded = commands_.recorded();
    } else {
      leave(place);
    }
  }
  const bool is_last = event.event.is<domain::SessionClosed>();
  const bool is_at_once = is_last || ends_turn(event.event);
  if (!is_at_once && !is_output(event.event)) return;
  const base::Time due = is_at_once ? event.envelope.log_time : event.envelope.log_time + kDebounce;
  for (auto at = places_.lower_bound({stream->agent, stream->id, {}});
       at != places_.end() && at->first.session == stream->id && at->first.agent == stream->agent;
       ++at) {
    Shown& shown = at->second;
    shown.recorded = event.envelope.position;
    shown.has_ended |= is_last;
    // The wait behind a failure goes on.
    const bool is_sooner = shown.due.us == 0 || due < shown.due;
    if (is_sooner && shown.failures == 0) shown.due = due;
  }
}

void Foreground::submit(Asked asked) {
  const StreamKey stream{asked.place.session, asked.place.agent};
  domain::SessionCommand command = asked.command;
  outgoing_.send(std::move(asked), std::move(command), now_, stream);
}

void Foreground::take(const ShowOutcome& outcome) {
  const Place place{outcome.agent, outcome.session, outcome.channel};
  const auto found = places_.find(place);
  // A channel that has left meanwhile has seen the text, too.
  if (outcome.has_shown)
    submit({place, domain::MarkSeen{place.channel, outcome.through, outcome.further_bytes}});
  if (found == places_.end()) return;
  Shown& shown = found->second;
  shown.is_under_way = false;
  if (shown.has_left) {
    places_.erase(found);
  } else if (outcome.is_behind) {
    shown.due = now_ + kDebounce;
  } else if (!outcome.error.empty()) {
    shown.due = now_ + kFirstWait * (1 << shown.failures);
    if (++shown.failures < kFailuresMax) return;
    submit({place, domain::SetForeground{place.channel, false}});
    places_.erase(found);
  } else {
    shown.failures = 0;
    shown.seen = std::max(shown.seen, outcome.through);
    shown.further_bytes = outcome.further_bytes;
    const bool has_more = outcome.has_more || shown.recorded > shown.seen;
    if (has_more && shown.due.us == 0) shown.due = outcome.has_more ? now_ : now_ + kDebounce;
    if (!shown.has_ended || shown.due.us != 0) return;
    submit({place, domain::SetForeground{place.channel, false}});
    places_.erase(found);
  }
}

bool Foreground::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  bool has_worked = false;
  while (const auto outcome = notifier_.poll_shown()) {
    has_worked = true;
    take(*outcome);
  }
  next_timer_ = base::Duration::max();
  if (!cycle.has_taken_over) return has_worked;
  for (Asked& asked : outgoing_.take_due(now_)) submit(std::move(asked));
  if (outgoing_.has_kept()) next_timer_ = cycle.boot + (outgoing_.due() - now_);
  for (auto& [place, shown] : places_) {
    if (shown.due.us == 0 || shown.is_under_way) continue;
    if (shown.due > now_) {
      next_timer_ = std::min(next_timer_, cycle.boot + (shown.due - now_));
      continue;
    }
    shown.due = {};
    shown.is_under_way = has_worked = true;
    notifier_.submit_show({place.agent, place.session, place.channel, shown.seen, cycle.durable,
                           shown.further_bytes});
  }
  return has_worked;
}

}  // namespace workers
