// Decides requests about a conversation, but for messages and runs.
#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/domain/admission/admission.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/erasing.hpp"
#include "eventlog/domain/outbox/outbox.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {

Envelope Conversing::next_envelope() const {
  Envelope envelope;
  // Events of other streams stand behind those of the target.
  std::int64_t own = 1;
  for (const Emitted& one : decision) own += one.stream.empty() ? 1 : 0;
  envelope.position = Position{context.head.value + own};
  envelope.version = StreamVersion{context.version.value + own};
  envelope.stream = stream_of(context.target);
  envelope.log_time = context.now;
  envelope.wall_time = context.wall;
  return envelope;
}

const ConversationPolicy& policy_in(const Context& context) {
  static const ConversationPolicy kNone;
  return context.conversations == nullptr ? kNone : *context.conversations;
}

const ConversationPolicy& Conversing::policy() const {
  return policy_in(context);
}

const LanesState& Conversing::lanes() const {
  const auto* lanes = states.find<LanesStream>(kLanesStream);
  CHECK(lanes != nullptr);
  return *lanes;
}

Lane lane_of(std::string_view key) {
  const KeyKind kind = parse_key_parts(key).kind;
  if (kind == KeyKind::subagent) return Lane::subagent;
  return kind == KeyKind::cron ? Lane::cron : Lane::main;
}

bool is_tasked(const ConversationState& s) {
  return !s.parent.empty() && lane_of(s.key) == Lane::subagent && !thread_parent(s.key);
}

Time due_of(const ConversationState& s) {
  const bool is_urgent = s.is_immediate || s.settings.mode == QueueMode::interrupt;
  const base::Duration wait = is_urgent ? base::Duration{} : s.settings.debounce;
  return std::max(s.queue.last_accepted + wait, s.again_at);
}

namespace {

// Returns the wall time at which the first of them is too late; 0: none ever is.
Time expiry_of(const QueuedMessages& waiting) {
  Time first{};
  for (const QueuedMessage& one : waiting) {
    const Time by = one.start_before;
    if (by.us != 0 && (first.us == 0 || by < first)) first = by;
  }
  return first;
}

LaneAwaited awaited_by(const ConversationState& s) {
  const SessionId id = conversation_id(s.agent, s.key);
  LaneAwaited awaited{id, s.agent, s.key, lane_of(s.key), due_of(s), {}, {}};
  if (s.task.value != 0) awaited.parent = s.parent;
  awaited.expires = expiry_of(s.queue.waiting);
  const auto& dropped = s.queue.overflow.latest;
  if (!s.queue.waiting.empty()) {
    const QueuedMessage& first = s.queue.waiting.front();
    awaited.oldest = first.files->empty() ? first.at : first.files->front().at;
  }
  const bool is_older =
      !dropped.empty() && (s.queue.waiting.empty() || dropped.front() < awaited.oldest);
  if (is_older) awaited.oldest = dropped.front();
  return awaited;
}

}  // namespace

bool has_waiting(const ConversationState& s) {
  return !s.queue.waiting.empty() || s.queue.overflow.dropped > 0;
}

void tell_lanes(Decision& decision, const LanesState& lanes, const ConversationState& s) {
  const std::string stream(kLanesStream);
  const SessionId id = conversation_id(s.agent, s.key);
  const auto work = lanes.works.find(id);
  const bool is_known = work != lanes.works.end();
  if (s.run) {
    QueuedMessages waiting = s.queue.waiting;
    std::erase_if(waiting,
                  [&](const QueuedMessage& one) { return is_taken_steer(lanes, s, one.at); });
    const Time at = expiry_of(waiting);
    const bool is_news = is_known && work->second.expires_behind != at;
    if (is_news) decision.emit_to<LanesStream>(stream, LaneExpires{id, at});
    return;
  }
  if (!has_waiting(s)) {
    if (is_known) decision.emit_to<LanesStream>(stream, LaneLeft{id});
    return;
  }
  LaneAwaited awaited = awaited_by(s);
  const bool is_same = is_known && !work->second.run && work->second.due == awaited.due &&
                       work->second.expires == awaited.expires &&
                       work->second.oldest == awaited.oldest;
  if (!is_same) decision.emit_to<LanesStream>(stream, std::move(awaited));
}

void tell_lanes(Conversing& d) {
  tell_lanes(d.decision, d.lanes(), d.s);
}

void tell_ended_run(Decision& decision, const ConversationState& s) {
  const std::string lanes(kLanesStream);
  if (has_waiting(s)) return decision.emit_to<LanesStream>(lanes, awaited_by(s));
  decision.emit_to<LanesStream>(lanes, LaneLeft{conversation_id(s.agent, s.key)});
}

std::optional<Rejection> check_exists(const Conversing& d) {
  if (!d.s.key.empty()) return std::nullopt;
  return Rejection{RejectionCode::not_found,
                   "there is no such conversation of agent " + d.context.target.agent +
                       "; steno conv ls lists them, and a message begins one"};
}

namespace {

constexpr const char* kLabelField = "label";

void free_label(Conversing& d, const ConversationState& s) {
  const std::string label(field_of(s.entry, kLabelField));
  const std::string stream = labels_stream(s.agent);
  const auto* labels = d.states.find<LabelsStream>(stream);
  if (labels == nullptr) return;
  const auto holder = labels->holders.find(label);
  if (holder != labels->holders.end() && holder->second == s.key) {
    d.decision.emit_to<LabelsStream>(stream, LabelFreed{label});
  }
}

}  // namespace

void clean_up(Conversing& d, const std::string& subagent) {
  const std::string stream = conversation_stream(agent_of_key(subagent), subagent);
  const auto* s = d.states.find<ConversationStream>(stream);
  if (s == nullptr || s->key != subagent || s->inconsistent.value != 0) return;
  const bool is_own = s->parent == d.s.key && s->cleanup == RunCleanup::remove;
  const bool is_over = s->messages == 1 && s->task.value == 0 && !s->run && !has_waiting(*s);
  if (!is_own || !is_over) return;
  free_label(d, *s);
  d.decision.emit_to<ConversationStream>(stream, ConversationDeleted{});
}

bool is_message(const SeenMessage& seen, const std::string& id, const MessageRoute& route) {
  return seen.id == id && seen.route == route;
}

bool waits(const ConversationState& state, Position message) {
  const QueuedMessages& all = state.queue.waiting;
  return std::any_of(all.begin(), all.end(),
                     [&](const QueuedMessage& one) { return one.at == message; });
}

bool is_taken_steer(const LanesState& lanes, const ConversationState& s, Position message) {
  const auto work = lanes.works.find(conversation_id(s.agent, s.key));
  if (work == lanes.works.end()) return false;
  const auto& steers = work->second.steers;
  return std::any_of(steers.begin(), steers.end(),
                     [&](const Steer& one) { return one.is_taken && one.message == message; });
}

void leave(Conversing& d, SessionId session) {
  if (!session.is_set() || d.lanes().left.contains(session)) return;
  const auto* admission = d.states.find<AdmissionStream>(kAdmissionStream);
  const bool is_live = admission != nullptr && admission->live.contains(session);
  const bool is_begun = d.s.run && d.s.run->opens && d.s.run->session == session;
  if (is_live || is_begun) d.emit_to_lanes(SessionLeft{session, d.s.agent});
}

void reset(Conversing& d, ResetReason reason) {
  const SessionId session = d.s.session;
  d.emit(ConversationReset{reason, session});
  leave(d, session);
}

namespace {

// Gives the old label back and takes the new one, if the change has one.
std::optional<Rejection> change_label(Conversing& d, const EntryChanged& changed) {
  const auto taken = changed.set.find(kLabelField);
  const bool is_cleared = std::find(changed.cleared.begin(), changed.cleared.end(), kLabelField) !=
                          changed.cleared.end();
  if (taken == changed.set.end() && !is_cleared) return std::nullopt;
  const auto* labels = d.states.find<LabelsStream>(labels_stream(d.context.target.agent));
  CHECK(labels != nullptr);
  if (taken != changed.set.end()) {
    const auto holder = labels->holders.find(taken->second);
    if (holder != labels->holders.end() && holder->second != d.s.key) {
      return Rejection{RejectionCode::already_exists, "the label '" + taken->second +
                                                          "' is that of " + holder->second +
                                                          "; take another one, or clear it there"};
    }
  }
  free_label(d, d.s);
  if (taken != changed.set.end()) d.emit_to_labels(LabelTaken{taken->second, d.s.key});
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> patch(Conversing& d, const EntryFields& set,
                               const std::vector<std::string>& cleared) {
  const auto invalid = [](std::string text) {
    return Rejection{RejectionCode::invalid, std::move(text)};
  };
  EntryChanged changed;
  const auto check = [](const std::string& name) -> std::optional<Rejection> {
    if (find_entry_field(name) != nullptr) return std::nullopt;
    return Rejection{RejectionCode::invalid, "a conversation has no setting '" + cut_fact(name) +
                                                 "'; steno conv set --help lists them"};
  };
  for (const auto& [name, text] : set) {
    if (auto bad = check(name)) return bad;
    auto canonical = field_text(*find_entry_field(name), text);
    if (!canonical) return invalid(canonical.error());
    if (field_of(d.s.entry, name) != *canonical) changed.set[name] = std::move(*canonical);
  }
  for (const std::string& name : cleared) {
    if (auto bad = check(name)) return bad;
    if (set.contains(name)) return invalid(name + " cannot be both set and cleared");
    if (d.s.entry.contains(name)) changed.cleared.push_back(name);
  }
  if (auto bad = change_label(d, changed)) return bad;
  if (!(changed == EntryChanged{})) d.emit(std::move(changed));
  return std::nullopt;
}

Decided decide_one(Conversing d, const PatchConversation& c) {
  if (auto bad = check_exists(d)) return tl::unexpected(*bad);
  if (auto bad = patch(d, c.set, c.cleared)) return tl::unexpected(*bad);
  return std::move(d.decision);
}

Decided decide_one(Conversing d, const ResetConversation& c) {
  if (auto bad = check_exists(d)) return tl::unexpected(*bad);
  if (!c.is_undo) {
    reset(d, ResetReason::user);
    return std::move(d.decision);
  }
  if (d.s.past.empty()) {
    return reject(RejectionCode::not_accepting, "no reset of " + d.s.key + " can be undone");
  }
  if (d.s.run) {
    return reject(RejectionCode::in_progress,
                  d.s.key + " is at work in its new session; stop it, then undo the reset");
  }
  leave(d, d.s.session);
  const SessionId back = d.s.past.back().session;
  d.emit(ResetUndone{back});
  if (d.lanes().left.contains(back)) d.emit_to_lanes(LeftSessionSettled{back});
  return std::move(d.decision);
}

Decided decide_one(Conversing d, const StopConversation&) {
  if (auto bad = check_exists(d)) return tl::unexpected(*bad);
  stop(d);
  tell_lanes(d);
  return std::move(d.decision);
}

Decided decide_one(Conversing d, const DeleteConversation& c) {
  if (auto bad = check_exists(d)) return tl::unexpected(*bad);
  if (c.unchanged_since.us != 0 && d.s.updated_at > c.unchanged_since) {
    return reject(RejectionCode::version_conflict,
                  d.s.key + " has changed meanwhile, and is not deleted");
  }
  if (parse_key_parts(d.s.key).kind == KeyKind::main) {
    return reject(RejectionCode::refused, d.s.key +
                                              " is the agent's main conversation, which cannot be "
                                              "deleted; reset it instead");
  }
  if (d.s.run) {
    return reject(RejectionCode::in_progress,
                  d.s.key + " is at work; stop it, and delete it when it has ended");
  }
  if (has_waiting(d.s)) d.emit(MessagesEnded{waiting_of(d.s), MessageEnd::deleted});
  stop_subagents(d);
  if (d.s.session.is_set()) reset(d, ResetReason::user);
  free_label(d, d.s);
  d.emit(ConversationDeleted{});
  if (d.lanes().works.contains(d.id())) d.emit_to_lanes(LaneLeft{d.id()});
  return std::move(d.decision);
}

Decided decide_one(const Conversing& d, const EraseMessages& c) {
  return decide_erasure<ConversationStream>(d.states.target<ConversationStream>(), d.context,
                                            c.events, ErasureReason::requested);
}

Decided decide_one(const Conversing& d, const CompleteErasure& c) {
  return decide_completion<ConversationStream>(d.states.target<ConversationStream>(), c);
}

const ContentState& contents_of(const ConversationState& s) {
  return s;
}

std::string subject_of(const ConversationState& s) {
  return "conversation " + s.key;
}

// No message can be told from the others by its version, so none goes while one waits.
base::Result<VersionRanges, Rejection> erasable_of(const ConversationState& s,
                                                   const VersionRanges& asked) {
  if (!s.queue.waiting.empty() || s.queue.overflow.dropped > 0 || (s.run && !s.run->is_taken)) {
    return tl::unexpected(Rejection{RejectionCode::content_in_use,
                                    "messages of " + s.key +
                                        " wait for its agent; erase their texts when it has them, "
                                        "or stop the conversation first"});
  }
  if (!asked.empty()) return normalized(asked);
  return normalized({{StreamVersion{1}, s.last_content}});
}

void end_run(Decision& decision, const ConversationState& state, RunEnd end,
             const std::vector<MessageSteered>& steered) {
  const std::string stream = conversation_stream(state.agent, state.key);
  ConversationState after = state;
  for (const MessageSteered& one : steered) {
    decision.emit_to<ConversationStream>(stream, one);
    if (!one.is_kept) end_messages(after.queue, {one.message}, 0);
  }
  decision.emit_to<ConversationStream>(stream, ConversationRunEnded{state.run->run, end});
  after.is_immediate = false;
  if (has_task(*state.run, state.task)) after.task = {};
  tell_ended_run(decision, after);
}

// A run begins in the session of the last one, if that still lives; and a reset ends it then.
void reads(const ConversationCommand& command, const StreamRef& target, Reads& further) {
  further.add(std::string(kLanesStream));
  further.add(std::string(kAdmissionStream));
  further.add(std::string(kOutboxStream));
  further.add(labels_stream(target.agent));
  const auto* message = std::get_if<ReceiveMessage>(&command);
  if (message == nullptr) return;
  for (const std::string* other : {&message->parent, &message->deletes}) {
    if (!other->empty()) further.add(conversation_stream(agent_of_key(*other), *other));
  }
  if (!message->deletes.empty()) further.add(labels_stream(agent_of_key(message->deletes)));
}

// Which policy holds is not known here.
void reads_further(const ConversationCommand& command, const StreamRef& target,
                   const States& states, Reads& further) {
  if (const auto* lanes = states.find<LanesStream>(kLanesStream); lanes != nullptr) {
    for (const LaneWork* work : subagents_at_work(*lanes, key_to_stop(command))) {
      further.add(conversation_stream(work->agent, work->key));
    }
  }
  if (!std::holds_alternative<AdvanceConversation>(command)) return;
  ConversationPolicy forking;
  forking.forks_threads = true;
  const std::string_view above = forked_from(states.target<ConversationStream>(), forking);
  if (!above.empty()) further.add(conversation_stream(target.agent, above));
}

Decided decide(const ConversationCommand& command, const States& states, const Context& context) {
  return std::visit(
      [&]<class C>(const C& c) -> Decided {
        Conversing d{states, context};
        if (d.s.inconsistent.value != 0) {
          return reject(RejectionCode::inconsistent,
                        "the record of " + d.s.key +
                            " contradicts itself; export it, and go on "
                            "under another key");
        }
        Decided decided = telling_senders(decide_one(std::move(d), c), states, context);
        if constexpr (base::kContains<C, ConversationClientCommands>) {
          if (decided && decided->empty()) {
            decided->template emit<ConversationStream>(
                ConversationUnchanged{std::string(C::kType)});
          }
        }
        return decided;
      },
      command);
}

namespace {

Position message_of(const ConversationState& state, const ReceiveMessage& c) {
  if (c.id.empty()) return state.newest;
  const DeliveryContext route = normal_delivery(c.route);
  for (const SeenMessage& one : state.seen) {
    if (is_message(one, c.id, {route.channel, route.to, route.account, route.thread})) {
      return one.at;
    }
  }
  return {};
}

}  // namespace

ConversationReply reply(const ConversationState& state, const ConversationCommand& command) {
  ConversationReply reply;
  reply.waiting = static_cast<std::int64_t>(state.queue.waiting.size());
  if (state.run) reply.run = state.run->run;
  reply.session = state.session;
  reply.messages = state.messages;
  reply.resets = state.resets;
  if (const auto* c = std::get_if<ReceiveMessage>(&command)) reply.message = message_of(state, *c);
  return reply;
}

}  // namespace domain
