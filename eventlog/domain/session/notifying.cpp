// Decides who is to be notified of a decision's events. The requests are part of the same append,
// so none is lost, and none is made twice.
#include <algorithm>
#include <set>
#include <vector>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/outbox/overflow.hpp"
#include "eventlog/domain/outbox/pacing.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

// It is told at most once in this time that a session waits: what comes sooner is told later.
constexpr base::Duration kWaitingDebounce = std::chrono::seconds(5);

// People are told after this time of an approval that hooks are asked about, too.
constexpr base::Duration kHooksFirst = std::chrono::seconds(2);

bool is_idle(const LeaseState& s) {
  return is_live(s.status) && !s.is_close_requested && !has_work(s) && s.tasks == 0;
}

// True if the work ended because Steno did, by a crash or a stop.
bool is_of_restart(EndReason reason) {
  return reason == EndReason::worker_lost || reason == EndReason::stopped;
}

NotificationKind kind_of(const SessionClosed& e) {
  if (is_spent(e.reason) || is_cap(e.reason)) return NotificationKind::budget;
  if (e.status == SessionStatus::completed) return NotificationKind::completed;
  // A stop of Steno is told as its crash is: whoever waits for the answer gets none.
  if (e.reason == EndReason::stopped) return NotificationKind::failed;
  return e.status == SessionStatus::killed ? NotificationKind::killed : NotificationKind::failed;
}

std::optional<NotificationKind> kind_of(const QueuePaused& e) {
  const bool is_passing = is_start_pause(e.reason, e.until) ||
                          e.reason == EndReason::session_limit || e.reason == EndReason::deferred;
  if (is_passing) return std::nullopt;
  return NotificationKind::paused;
}
std::optional<NotificationKind> kind_of(const AgentSilenceReported& e) {
  if (e.is_over) return std::nullopt;
  return NotificationKind::stuck;
}
std::optional<NotificationKind> kind_of(const TurnInterrupted& e) {
  if (e.reason == EndReason::expired) return NotificationKind::expired;
  if (!is_of_restart(e.reason)) return std::nullopt;
  return NotificationKind::cut_off;
}
NotificationKind kind_of(const TasksLost&) {
  return NotificationKind::tasks_lost;
}
NotificationKind kind_of(const ToolCallsRepeated&) {
  return NotificationKind::stuck;
}
std::optional<NotificationKind> kind_of(const AskRaised& e) {
  if (!is_for_people(e.kind)) return std::nullopt;
  return NotificationKind::asks;
}
NotificationKind kind_of(const LongRunReached&) {
  return NotificationKind::long_run;
}

// Returns what one event by itself gives cause to tell.
std::optional<NotificationKind> cause_of(const Event& event) {
  using Causes = base::Types<SessionClosed, QueuePaused, TasksLost, ToolCallsRepeated,
                             AgentSilenceReported, LongRunReached, TurnInterrupted, AskRaised>;
  std::optional<NotificationKind> cause;
  use_one_of(Causes{}, event, [&](const auto& e) { cause = kind_of(e); });
  return cause;
}

// True for what an agent asks if a rule has answered it at once.
bool is_answered(const Deciding& d, const Event& event) {
  const auto* asked = event.as<AskRaised>();
  if (asked == nullptr) return false;
  return std::any_of(d.decision.begin(), d.decision.end(), [&](const Emitted& emitted) {
    const auto* answered = emitted.event.as<AskAnswered>();
    return answered != nullptr && answered->ask == asked->ask;
  });
}

// True if hooks are asked about the approval that the decision asks people for.
bool is_for_hooks(const Deciding& d) {
  return d.context.limits.has_request_hooks &&
         std::any_of(d.decision.begin(), d.decision.end(), [](const Emitted& emitted) {
           const auto* asked = emitted.event.as<AskRaised>();
           return asked != nullptr && asked->kind == AskKind::approval;
         });
}

bool has_closed(const Deciding& d) {
  return std::any_of(d.decision.begin(), d.decision.end(),
                     [](const Emitted& emitted) { return emitted.event.is<SessionClosed>(); });
}

// What else the decision is about counts before these.
bool is_minor(NotificationKind kind) {
  return kind == NotificationKind::expired || kind == NotificationKind::tasks_lost;
}

// True if a turn ended otherwise than by its success or because somebody asked for it.
bool has_failed_turn(const Deciding& d) {
  return std::any_of(d.decision.begin(), d.decision.end(), [](const Emitted& emitted) {
    if (emitted.event.is<TurnFailed>()) return true;
    const auto* cut = emitted.event.as<TurnInterrupted>();
    return cut != nullptr && cut->reason != EndReason::user && cut->reason != EndReason::expired;
  });
}

// True if what the agent says is an answer in a conversation. Each turn is one, for the place that
// its messages came from, and none takes the place of another.
bool is_talk(const SessionState& s) {
  return !s.descriptor->conversation.empty() && s.spec.is_multi_turn;
}

bool has_finished_turn(const Deciding& d) {
  return std::any_of(d.decision.begin(), d.decision.end(),
                     [](const Emitted& emitted) { return emitted.event.is<TurnFinished>(); });
}

// Returns what the decision gives cause to tell; the end of the session counts before all else.
std::optional<NotificationKind> cause_of(const Deciding& d) {
  std::optional<NotificationKind> cause;
  LeaseState after = lease_state(d.session());
  const bool was_idle = is_idle(after);
  for (const Emitted& emitted : d.decision) {
    if (!emitted.stream.empty()) continue;
    evolve(after, Envelope{}, emitted.event);
    const auto one = is_answered(d, emitted.event) ? std::nullopt : cause_of(emitted.event);
    if (one && (!cause || !is_minor(*one))) cause = one;
  }
  const bool is_settled = cause && !is_minor(*cause);
  const bool is_at_rest = is_talk(d.session()) ? has_finished_turn(d) || has_failed_turn(d)
                                               : !was_idle && is_idle(after);
  if (is_settled || !d.session().spec.is_multi_turn || !is_at_rest) return cause;
  if (d.used_up() != EndReason::none) return NotificationKind::budget;
  // Heartbeats come by themselves.
  if (d.session().descriptor->kind == DescriptorKind::heartbeat) {
    return cause == NotificationKind::tasks_lost ? std::nullopt : cause;
  }
  if (has_failed_turn(d)) return NotificationKind::turn_failed;
  return cause ? cause : NotificationKind::waiting;
}

// True if the decision is about work that was lost with its worker, or with a stop of Steno, in a
// session that is scheduled: its next run goes on, so nobody needs to hear.
bool is_lost_run(const Deciding& d) {
  const DescriptorKind kind = d.session().descriptor->kind;
  if (kind != DescriptorKind::cron && kind != DescriptorKind::heartbeat) return false;
  return std::any_of(d.decision.begin(), d.decision.end(), [](const Emitted& emitted) {
    const auto* cut = emitted.event.as<TurnInterrupted>();
    const auto* closed = emitted.event.as<SessionClosed>();
    return (cut != nullptr && is_of_restart(cut->reason)) ||
           (closed != nullptr && is_of_restart(closed->reason));
  });
}

// Somebody who is told.
struct Addressee {
  NotificationTarget target = NotificationTarget::channel;
  std::string channel;
  bool is_foreground = false;
  std::string parent_key{};
};

bool is_orchestrator(NotificationTarget target) {
  return target == NotificationTarget::system || target == NotificationTarget::wake;
}

bool is_watched(const SessionState& s) {
  return std::any_of(s.viewers->begin(), s.viewers->end(),
                     [](const auto& viewer) { return viewer.second.is_foreground; });
}

// Nobody is reminded of a session that a channel has in the foreground, and whoever waits for it by
// program does not need to be. A parent can do nothing about an agent that is stuck, or that asks
// people.
bool is_told(const SessionState& s, const Addressee& who, NotificationKind kind) {
  const bool is_parent = who.target == NotificationTarget::parent;
  if (kind == NotificationKind::stuck || kind == NotificationKind::asks) return !is_parent;
  // People hear of a subagent's work from the conversation that gave it.
  const bool is_subagent = lane_of(s.descriptor->conversation) == Lane::subagent;
  if (is_subagent && who.target == NotificationTarget::channel && !who.is_foreground) return false;
  if (kind != NotificationKind::long_run) return true;
  return !is_watched(s) && !is_orchestrator(who.target) && !is_parent;
}

// Returns the subagent's conversation whose task the session works on; null: it works on none.
const ConversationState* tasked(const SessionState& s, const States& states) {
  const std::string& key = s.descriptor->conversation;
  if (key.empty()) return nullptr;
  const auto* task = states.find<ConversationStream>(conversation_stream(s.agent, key));
  if (task == nullptr || !task->run || task->run->session != s.session) return nullptr;
  return has_task(*task->run, task->task) ? task : nullptr;
}

// True if somebody could be told of the session.
bool has_addressee(const SessionState& s, const Limits& limits) {
  for (std::size_t i = 0; i < kNotificationTargets; ++i) {
    const bool is_parent = static_cast<NotificationTarget>(i) == NotificationTarget::parent;
    if (static_cast<NotificationTarget>(i) == NotificationTarget::hook) continue;
    const bool has_parent =
        s.descriptor->parent.is_set() || lane_of(s.descriptor->conversation) == Lane::subagent;
    if (limits.sinks[i] && (!is_parent || has_parent)) return true;
  }
  return false;
}

// The orchestrator hears by one of its two sinks: by the one that wakes it where no channel is
// told.
std::vector<Addressee> addressees(const SessionState& s, const Limits& limits) {
  std::vector<Addressee> all;
  const std::string& place = told_place(s);
  const bool has_route = parse_route(place).has_value();
  const bool has_channel =
      has_sink(limits, NotificationTarget::channel) && (has_route || is_watched(s));
  const bool is_woken = has_sink(limits, NotificationTarget::wake) && !has_channel;
  for (std::size_t i = 0; i < kNotificationTargets; ++i) {
    const auto target = static_cast<NotificationTarget>(i);
    if (!limits.sinks[i] || target == NotificationTarget::hook) continue;
    if (is_orchestrator(target) && (target == NotificationTarget::wake) != is_woken) continue;
    if (target == NotificationTarget::parent) {
      if (s.descriptor->parent.is_set()) all.push_back({target, {}});
      continue;
    }
    if (target != NotificationTarget::channel) {
      all.push_back({target, place});
      continue;
    }
    const auto origin = s.viewers->find(place);
    const bool is_shown = origin != s.viewers->end() && origin->second.is_foreground;
    if (has_route && !is_shown) all.push_back({target, place});
    for (const auto& [channel, viewer] : *s.viewers) {
      if (viewer.is_foreground && parse_route(channel)) all.push_back({target, channel, true});
    }
  }
  return all;
}

// True if the notification waits for the time in which it, or its place, may be told.
bool is_held_back(const OutboxState& outbox, const OpenNotification& open, const Context& context) {
  if (open.attempts > 0) return false;  // it is tried again
  const bool is_early = open.requested.not_before.us != 0 && open.next_at > context.now;
  const NotificationKind kind = open.requested.kind;
  const bool can_be_stale = kind == NotificationKind::waiting || kind == NotificationKind::asks;
  const bool is_stale = can_be_stale && can_hear_at(outbox.told, open.requested,
                                                    context.limits.told_per_minute) > context.now;
  return is_early || is_stale;
}

// Returns what the decision drops so far.
std::set<Position> dropped_by(const Decision& decision) {
  std::set<Position> dropped;
  for (const Emitted& emitted : decision) {
    const auto* before = emitted.event.as<NotificationDropped>();
    if (before != nullptr) dropped.insert(before->notification);
  }
  return dropped;
}

// Returns the versions of the requests of which the decision is the answer or the end.
std::set<StreamVersion> asks_ended_by(const Deciding& d) {
  std::set<StreamVersion> versions;
  const OpenAsks& asks = d.session().asks;
  for (const Emitted& emitted : d.decision) {
    const auto* answered = emitted.event.as<AskAnswered>();
    const auto* closed = emitted.event.as<AskClosed>();
    const bool is_end = emitted.event.is<SessionClosed>();
    for (const OpenAsk& ask : asks) {
      const bool is_its = is_end || (answered != nullptr && answered->ask == ask.ask) ||
                          (closed != nullptr && closed->ask == ask.ask);
      if (is_its) versions.insert(ask.version);
    }
  }
  return versions;
}

// Drops what is held back of requests that are over before people were told.
void drop_answered(Deciding& d, const OutboxState& outbox) {
  const std::set<StreamVersion> ended = asks_ended_by(d);
  if (ended.empty()) return;
  const std::set<Position> dropped = dropped_by(d.decision);
  for (const auto& [position, open] : outbox.open) {
    const NotificationRequested& requested = open.requested;
    const bool is_its = requested.session == d.session().session &&
                        requested.kind == NotificationKind::asks &&
                        ended.contains(requested.through);
    if (!is_its || dropped.contains(position) || !is_held_back(outbox, open, d.context)) continue;
    d.emit_to<OutboxStream>(std::string(kOutboxStream),
                            NotificationDropped{position, DropReason::superseded});
  }
}

// Drops what is held back, as what comes now takes its place, but for what an agent asks: that is
// still to be answered. Returns all that the decision drops.
std::set<Position> drop_superseded(Deciding& d, const OutboxState& outbox) {
  std::set<Position> dropped = dropped_by(d.decision);
  if (is_talk(d.session())) return dropped;
  for (const auto& [position, open] : outbox.open) {
    if (open.requested.session != d.session().session || dropped.contains(position)) continue;
    if (open.requested.kind == NotificationKind::asks) continue;
    if (!is_held_back(outbox, open, d.context)) continue;
    dropped.insert(position);
    d.emit_to<OutboxStream>(std::string(kOutboxStream),
                            NotificationDropped{position, DropReason::superseded});
  }
  return dropped;
}

// Returns when the session can be told to wait; 0: now.
Time not_before(const OutboxState& outbox, const SessionState& s, Time now) {
  const auto told = outbox.told_waiting.find(s.session);
  if (told == outbox.told_waiting.end()) return {};
  if (told->second > now) return told->second;
  const Time next = told->second + kWaitingDebounce;
  return next > now ? next : Time{};
}

// Requests of one decision: what they are about, and what makes room for them.
struct Requests {
  const OutboxState& outbox;
  NotificationRequested request;
  std::set<Position> dropped;

  void add(Deciding& d, const Addressee& who) {
    const SessionState& s = d.session();
    request.target = who.target;
    request.channel = who.channel;
    request.is_foreground = who.is_foreground;
    request.parent = {};
    request.parent_key = who.parent_key;
    if (who.target == NotificationTarget::parent) request.parent = s.descriptor->parent;
    const bool has_room = outbox.open.size() + added - dropped.size() < kNotificationsMax;
    const auto one_too_many = has_room ? std::nullopt : overflowing(outbox, dropped);
    if (one_too_many) {
      dropped.insert(*one_too_many);
      d.emit_to<OutboxStream>(std::string(kOutboxStream),
                              NotificationDropped{*one_too_many, DropReason::overflow});
    }
    ++added;
    d.emit_to<OutboxStream>(std::string(kOutboxStream), request);
  }

  std::size_t added = 0;
};

NotificationRequested request_of(const Deciding& d, NotificationKind kind) {
  NotificationRequested request;
  request.kind = kind;
  request.session = d.session().session;
  request.agent = d.agent();
  request.alias = d.session().alias;
  if (d.session().is_renamed) request.name = d.session().name;
  request.cost = d.session().cost;
  add_bounded(request.cost.value, spent_by(d.decision).value);
  request.through = d.context.version;
  for (const Emitted& emitted : d.decision) {
    if (emitted.stream.empty()) request.through = request.through.next();
  }
  return request;
}

}  // namespace

Decided silencing(Decided decided, const States& states, const Context& context) {
  const auto* outbox = states.find<OutboxStream>(kOutboxStream);
  if (!decided || outbox == nullptr) return decided;
  Deciding d{states, context, std::move(*decided)};
  drop_answered(d, *outbox);
  drop_superseded(d, *outbox);
  return std::move(d.decision);
}

Decided echoing(Decided decided, const SendPrompt& said, const States& states,
                const Context& context) {
  const auto* outbox = states.find<OutboxStream>(kOutboxStream);
  if (!decided || outbox == nullptr) return decided;
  Deciding d{states, context, std::move(*decided)};
  const SessionState& s = d.session();
  std::vector<Addressee> all = addressees(s, context.limits);
  std::erase_if(all, [&](const Addressee& who) {
    return who.target != NotificationTarget::channel || who.channel == said.channel;
  });
  if (all.empty()) return std::move(d.decision);
  // News that the session waits is old by now.
  const NotificationRequested request = request_of(d, NotificationKind::responded);
  Requests requests{*outbox, request, drop_superseded(d, *outbox)};
  for (const Addressee& who : all) requests.add(d, who);
  return std::move(d.decision);
}

Decided telling_hooks(Decided decided, const States& states, const Context& context) {
  const auto* outbox = states.find<OutboxStream>(kOutboxStream);
  if (!decided || outbox == nullptr || !has_sink(context.limits, NotificationTarget::hook)) {
    return decided;
  }
  Deciding d{states, context, std::move(*decided)};
  const SessionClosed* closed = nullptr;
  Requests requests{*outbox, {}, {}};
  for (const Emitted& emitted : d.decision) {
    if (const auto* end = emitted.event.as<SessionClosed>()) closed = end;
    requests.added += emitted.event.is<NotificationRequested>() ? 1 : 0;
    const auto* dropped = emitted.event.as<NotificationDropped>();
    if (dropped != nullptr) requests.dropped.insert(dropped->notification);
  }
  if (closed == nullptr) return std::move(d.decision);
  requests.request = request_of(d, kind_of(*closed));
  requests.add(d, {NotificationTarget::hook, {}});
  return std::move(d.decision);
}

Decided notifying(Decided decided, const States& states, const Context& context) {
  const auto* outbox = states.find<OutboxStream>(kOutboxStream);
  if (!decided || outbox == nullptr) return decided;
  if (!has_addressee(states.target<SessionStream>(), context.limits)) return decided;
  Deciding d{states, context, std::move(*decided)};
  const SessionState& s = d.session();
  drop_answered(d, *outbox);
  if (is_lost_run(d)) return std::move(d.decision);
  const auto kind = cause_of(d);
  if (!kind) return std::move(d.decision);
  NotificationRequested request = request_of(d, *kind);
  const Denials& denied = has_closed(d) ? *s.denied : *s.turn_denied;
  request.denied = denied.calls;
  request.denied_tools = denied.tools;
  Requests requests{*outbox, std::move(request), dropped_by(d.decision)};
  if (*kind == NotificationKind::asks && is_for_hooks(d)) {
    requests.request.not_before = context.now + kHooksFirst;
  }
  if (*kind == NotificationKind::waiting && !is_talk(s)) {
    requests.request.not_before = not_before(*outbox, s, context.now);
  }
  // A reminder does not say that the session waits.
  if (*kind != NotificationKind::long_run) requests.dropped = drop_superseded(d, *outbox);
  // A conversation leaves sessions behind, and its place has heard what was said there.
  const bool is_known = *kind == NotificationKind::completed && is_talk(s) && !has_finished_turn(d);
  for (const Addressee& who : addressees(s, context.limits)) {
    const bool is_place = who.target == NotificationTarget::channel && !who.is_foreground;
    if (is_told(s, who, *kind) && !(is_known && is_place)) requests.add(d, who);
  }
  // It hears how the task ended, and nothing before.
  const ConversationState* task = has_closed(d) ? tasked(s, states) : nullptr;
  if (task != nullptr && has_sink(context.limits, NotificationTarget::parent)) {
    if (task->cleanup == RunCleanup::remove) requests.request.deletes = task->key;
    requests.add(d, {NotificationTarget::parent, {}, false, task->parent});
  }
  return std::move(d.decision);
}

}  // namespace domain
