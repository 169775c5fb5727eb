// Folds the facts of a conversation.
#include <algorithm>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/state.hpp"
#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool is_there(const ConversationState& s) {
  return !s.key.empty();
}

template <class T>
void keep_newest(std::vector<T>& all, T one, std::size_t most) {
  if (all.size() >= most) all.erase(all.begin());
  all.push_back(std::move(one));
}

// What was asked and erased of an earlier conversation under the key stays.
bool apply(ConversationState& s, const Envelope& envelope, const ConversationOpened& e) {
  if (is_there(s) || e.key.empty()) return false;
  ConversationState fresh;
  static_cast<ContentState&>(fresh) = contents_of(s);
  fresh.requests = std::move(s.requests);
  fresh.inconsistent = s.inconsistent;
  fresh.resets = s.resets;
  s = std::move(fresh);
  s.key = e.key;
  s.agent = envelope.stream.substr(0, envelope.stream.find('/'));
  s.spec = e.spec;
  s.origin = e.origin;
  s.parent = e.parent;
  s.caller = e.caller;
  s.cleanup = e.cleanup;
  s.opened_at = envelope.log_time;
  return true;
}

bool apply(ConversationState& s, const Envelope&, const EntryChanged& e) {
  if (!is_there(s)) return false;
  for (const std::string& name : e.cleared) s.entry.erase(name);
  for (const auto& [name, text] : e.set) s.entry[name] = text;
  return true;
}

bool apply(ConversationState& s, const Envelope& envelope, const MessageFileAttached&) {
  if (!is_there(s)) return false;
  s.attached.edit().push_back(envelope.position);
  return true;
}

bool apply(ConversationState& s, const Envelope& envelope, const MessageReceived& e) {
  if (!is_there(s) || e.files->size() != s.attached->size()) return false;
  const DeliveryContext& route = *e.route;
  QueuedMessage message;
  message.at = envelope.position;
  message.id = e.id;
  message.route = {route.channel, route.to, route.account, route.thread};
  message.text_bytes = e.bytes;
  message.accepted = envelope.log_time;
  message.start_before = e.start_before;
  message.is_alone = e.is_alone;
  for (std::size_t i = 0; i < e.files->size(); ++i) {
    message.files.edit().push_back({s.attached->at(i), e.files->at(i)});
  }
  s.attached.reset();
  s.is_immediate = !s.run && s.queue.waiting.empty() && s.queue.overflow.dropped == 0;
  admit(s.queue, message, {});
  if (!e.id.empty()) keep_newest(s.seen, {e.id, message.route, message.at}, kSeenMessagesMax);
  s.newest = message.at;
  if (!is_unknown(route)) s.last_route = route;
  s.settings = e.queue;
  s.heard_at = envelope.log_time;
  if (s.first.value == 0) s.first = envelope.position;
  if (s.messages == 0 && is_tasked(s)) s.task = envelope.position;
  ++s.messages;
  return true;
}

bool apply(ConversationState& s, const Envelope&, const DirectiveReceived& e) {
  if (!is_there(s)) return false;
  const DeliveryContext& route = *e.route;
  s.newest = {};
  if (!e.id.empty()) {
    keep_newest(s.seen, {e.id, {route.channel, route.to, route.account, route.thread}, {}},
                kSeenMessagesMax);
  }
  return true;
}

bool is_run(const ConversationState& s, TurnId run) {
  return s.run && s.run->run == run;
}

bool apply(ConversationState& s, const Envelope&, const MessageSteered& e) {
  if (!is_run(s, e.run)) return false;
  s.run->messages.push_back(e.message);
  if (!e.is_kept) end_messages(s.queue, {e.message}, 0);
  return true;
}

// Whoever is told that a message came to nothing can send it again.
void forget_seen(ConversationState& s, const std::vector<Position>& messages) {
  std::erase_if(s.seen, [&](const SeenMessage& one) {
    return std::find(messages.begin(), messages.end(), one.at) != messages.end();
  });
}

void end_task(ConversationState& s, const std::vector<Position>& ended) {
  if (std::find(ended.begin(), ended.end(), s.task) != ended.end()) s.task = {};
}

bool apply(ConversationState& s, const Envelope&, const MessagesEnded& e) {
  if (!is_there(s)) return false;
  end_task(s, e.messages);
  const bool is_again =
      e.end == MessageEnd::refused || e.end == MessageEnd::expired || e.end == MessageEnd::dropped;
  if (is_again) forget_seen(s, e.messages);
  end_messages(s.queue, e.messages, e.end == MessageEnd::dropped ? e.told_max : 0);
  if (e.end == MessageEnd::refused) s.refusals = 0;
  // Those that were dropped before are not told any more.
  if (e.end != MessageEnd::dropped && e.end != MessageEnd::expired) s.queue.overflow = {};
  return true;
}

bool apply(ConversationState& s, const Envelope&, const TaskWithdrawn&) {
  if (s.task.value == 0) return false;
  s.task = {};
  return true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationRunBegun& e) {
  if (!is_there(s) || s.run) return false;
  NextTurn turn;
  turn.shape = e.run->shape;
  turn.messages = e.run->messages;
  turn.overflow = e.run->overflow;
  turn.is_mixed = e.is_mixed;
  s.returned.clear();
  for (const QueuedMessage& waiting : s.queue.waiting) {
    const auto& taken = turn.messages;
    if (std::find(taken.begin(), taken.end(), waiting.at) != taken.end()) {
      s.returned.push_back(waiting);
    }
  }
  take(s.queue, turn);
  s.run = *e.run;
  s.is_started = false;
  s.session_before = std::exchange(s.session, e.run->session);
  ++s.runs;
  return true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationRunTaken& e) {
  if (!is_run(s, e.run)) return false;
  s.refusals = 0;
  s.again_at = {};
  s.returned.clear();
  s.has_begun = true;
  return s.run->is_taken = true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationRunStarted& e) {
  if (!is_run(s, e.run) || !s.run->is_taken) return false;
  return s.is_started = true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationRunReturned& e) {
  if (!is_run(s, e.run) || s.run->is_taken) return false;
  s.queue.waiting.insert(s.queue.waiting.begin(), s.returned.begin(), s.returned.end());
  s.queue.overflow.dropped += s.run->overflow.dropped;
  auto& latest = s.queue.overflow.latest;
  latest.insert(latest.begin(), s.run->overflow.latest.begin(), s.run->overflow.latest.end());
  s.returned.clear();
  s.again_at = e.again_at;
  s.is_immediate = true;
  s.session = e.is_session_lost ? SessionId{} : s.session_before;
  s.has_begun |= e.is_session_lost;
  // A reset has left a session that was never opened.
  const bool is_unopened =
      s.run->opens && !s.past.empty() && s.past.back().session == s.run->session;
  if (is_unopened) s.past.pop_back();
  s.run.reset();
  ++s.refusals;
  return true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationRunInterruptRequested& e) {
  if (!is_run(s, e.run)) return false;
  return s.run->is_to_end = true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationRunEnded& e) {
  if (!is_run(s, e.run)) return false;
  end_task(s, s.run->messages);
  s.returned.clear();
  s.run.reset();
  s.is_started = s.is_immediate = false;
  return true;
}

bool apply(ConversationState& s, const Envelope& envelope, const ConversationReset& e) {
  if (!is_there(s) || s.session != e.session) return false;
  if (e.session.is_set()) {
    keep_newest(s.past, {e.session, e.reason, envelope.log_time}, kPastSessionsMax);
  }
  s.session = s.session_before = {};
  s.heard_at = {};
  s.first = {};
  ++s.resets;
  return true;
}

bool apply(ConversationState& s, const Envelope&, const ResetUndone& e) {
  if (!is_there(s) || s.past.empty() || s.past.back().session != e.session) return false;
  s.past.pop_back();
  s.session = e.session;
  return true;
}

bool apply(ConversationState&, const Envelope&, const ConversationUnchanged&) {
  return true;
}

bool apply(ConversationState& s, const Envelope&, const ConversationDeleted&) {
  if (!is_there(s) || s.run || !s.queue.waiting.empty()) return false;
  s.key.clear();
  return true;
}

bool apply(ConversationState& s, const Envelope& envelope, const ContentErased& e) {
  return fold_content(s, envelope, e);
}

bool apply(ConversationState& s, const Envelope& envelope, const ContentErasureCompleted& e) {
  return fold_content(s, envelope, e);
}

}  // namespace

void evolve(ConversationState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<ConversationEvents>(state, envelope, event,
                                   [&](const auto& fact) { return apply(state, envelope, fact); });
  note_content(state, envelope);
  state.updated_at = envelope.log_time;
  if (is_remembered(envelope)) remember(state.requests, envelope);
}

std::optional<AcceptedCommand> known_command(const ConversationState& state,
                                             const CommandId& command) {
  return find_request(state.requests, command);
}

QueueChoices queue_choices(const EntryFields& entry) {
  const auto number = [&](std::string_view name) {
    return base::parse_digits(field_of(entry, name));
  };
  QueueChoices choices;
  choices.mode = parse_queue_mode(field_of(entry, "queueMode"));
  choices.drop = parse_queue_drop(field_of(entry, "queueDrop"));
  choices.cap = number("queueCap");
  if (const auto ms = number("queueDebounceMs")) {
    choices.debounce = std::chrono::milliseconds(*ms);
  }
  return choices;
}

}  // namespace domain
