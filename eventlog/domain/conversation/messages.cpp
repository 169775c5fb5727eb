// Decides what becomes of a message: a command of the conversation, a message that waits, or none.
#include <algorithm>

#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/queue_directive.hpp"
#include "eventlog/domain/conversation/reset.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

std::optional<Rejection> invalid(std::string text) {
  return Rejection{RejectionCode::invalid, std::move(text)};
}

std::optional<Rejection> check_key(const std::string& key, const std::string& agent) {
  if (auto fault = session_key_fault(key)) return invalid(*std::move(fault));
  KeySettings settings;
  settings.agent = agent;
  const auto canonical = canonical_key(key, settings);
  if (!canonical) return invalid("'" + cut_fact(key) + "' is no session key");
  if (*canonical != key) {
    return invalid("'" + cut_fact(key) + "' is not written as it is kept: " + *canonical);
  }
  if (agent_of_key(key) == agent) return std::nullopt;
  return invalid("the key " + key + " is of agent " + agent_of_key(key) + ", and not of " + agent);
}

std::optional<Rejection> check_message(const ReceiveMessage& c, const Context& context) {
  if (auto bad = check_key(c.session_key, context.target.agent)) return bad;
  for (const std::string* fact : {&c.sender, &c.id, &c.route.channel, &c.route.to, &c.route.account,
                                  &c.route.thread, &c.route.reply_to, &c.origin.label,
                                  &c.origin.provider, &c.origin.surface, &c.origin.from}) {
    if (auto bad = check_length("a fact of the message", fact->size(), kFactBytesMax)) return bad;
  }
  if (static_cast<std::int64_t>(c.text.size()) > kCollectedBytesMax) {
    return Rejection{RejectionCode::limit_reached,
                     "the message has " + std::to_string(c.text.size()) + " bytes, of " +
                         std::to_string(kCollectedBytesMax) + " at most; name a file instead"};
  }
  if (auto bad = check_files(c.files)) return bad;
  const bool is_of_files = c.text.empty() && !c.files.empty();
  const auto fault = is_of_files ? std::nullopt : prompt_fault(c.text);
  if (fault) return invalid(*fault);
  if (c.start_before.us < 0) return invalid("start_before is no time");
  if (c.start_before.us == 0 || c.start_before > context.wall) return std::nullopt;
  return Rejection{RejectionCode::deadline_passed,
                   "the message was to be begun before a time that is over; send it again"};
}

// Returns the conversation that gives the task; null: the message is none, or nobody gives it.
const ConversationState* giver_of(const Conversing& d, const ReceiveMessage& c) {
  if (c.parent.empty()) return nullptr;
  const auto* giver =
      d.states.find<ConversationStream>(conversation_stream(agent_of_key(c.parent), c.parent));
  return giver == nullptr || giver->key.empty() ? nullptr : giver;
}

// A task begins a subagent's conversation. Subagents give none.
std::optional<Rejection> check_task(const Conversing& d, const ReceiveMessage& c) {
  if (c.parent.empty()) {
    return c.cleanup == RunCleanup::keep ? std::nullopt : invalid("only a task has a cleanup");
  }
  if (lane_of(c.session_key) != Lane::subagent || thread_parent(c.session_key)) {
    return invalid("only a subagent has a parent, and " + c.session_key +
                   " is none: name it agent:" + d.context.target.agent + ":subagent:ID");
  }
  if (auto bad = check_key(c.parent, agent_of_key(c.parent))) return bad;
  if (lane_of(c.parent) == Lane::subagent) {
    return Rejection{RejectionCode::refused,
                     "a subagent cannot give tasks to subagents; do the task in this session"};
  }
  if (!d.s.key.empty()) {
    return Rejection{RejectionCode::already_exists,
                     c.session_key + " has its task already; send it a message instead"};
  }
  const ConversationState* giver = giver_of(d, c);
  if (giver != nullptr && giver->run && giver->run->is_to_end) {
    return Rejection{RejectionCode::not_accepting,
                     c.parent + " was stopped, and gives no tasks until that run has ended"};
  }
  if (giver != nullptr) return std::nullopt;
  return Rejection{RejectionCode::not_found, "there is no conversation " + c.parent +
                                                 " that could give a task; a message begins one"};
}

bool is_seen(const ConversationState& s, const std::string& id, const MessageRoute& route) {
  return !id.empty() && std::any_of(s.seen.begin(), s.seen.end(), [&](const SeenMessage& one) {
    return is_message(one, id, route);
  });
}

// What a text asks of the conversation itself, and what is left of it for the agent.
struct Understood {
  std::string text;
  QueueChoices inlined{};
  std::string_view directive{};  // that was carried out; empty: none
  bool is_done = false;          // nothing is left
  bool has_files = false;        // which are for the agent, with whatever text is left
};

EntryFields fields_of(const QueueChoices& choices) {
  EntryFields fields;
  if (choices.mode) fields["queueMode"] = base::enum_name(*choices.mode);
  if (choices.drop) fields["queueDrop"] = base::enum_name(*choices.drop);
  if (choices.cap) fields["queueCap"] = std::to_string(*choices.cap);
  if (choices.debounce) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*choices.debounce);
    fields["queueDebounceMs"] = std::to_string(ms.count());
  }
  return fields;
}

base::Result<Understood, Rejection> understand_queue(Conversing& d, Understood known) {
  const QueueDirective directive = parse_queue_directive(known.text);
  if (!directive.is_present) return known;
  if (!faults(directive).empty()) {
    return tl::unexpected(Rejection{RejectionCode::invalid, reply_text(directive, d.s.settings)});
  }
  // A mistyped mode is no text for the agent.
  const bool is_mistyped = reply_kind(directive) == QueueReply::status && !directive.rest.empty() &&
                           trimmed(known.text).starts_with("/queue");
  if (is_mistyped) {
    std::string settings = reply_text(directive, d.s.settings);
    for (std::size_t at = 0; (at = settings.find('\n', at)) != std::string::npos;) {
      settings.replace(at, 1, "; ");
    }
    return tl::unexpected(
        Rejection{RejectionCode::invalid,
                  "'" + cut_fact(directive.rest) + "' says nothing to the " + settings});
  }
  known.directive = "/queue";
  known.is_done = directive.rest.empty() && !known.has_files;
  known.text = directive.rest;
  if (directive.is_reset) {
    if (auto bad = patch(d, {}, {"queueMode", "queueDrop", "queueCap", "queueDebounceMs"})) {
      return tl::unexpected(*bad);
    }
  } else if (known.is_done) {
    if (auto bad = patch(d, fields_of(directive.choices), {})) return tl::unexpected(*bad);
  } else {
    known.inlined = directive.choices;
  }
  return known;
}

std::optional<Rejection> set_policy(Conversing& d, SendMode mode) {
  switch (mode) {
    case SendMode::unknown:
      return invalid("/send is on, off or inherit");
    case SendMode::inherit:
      return patch(d, {}, {"sendPolicy"});
    case SendMode::allow:
      return patch(d, {{"sendPolicy", "allow"}}, {});
    case SendMode::deny:
      return patch(d, {{"sendPolicy", "deny"}}, {});
  }
  return std::nullopt;
}

bool is_group(const ConversationState& s) {
  const std::string_view type = field_of(s.entry, "chatType");
  return type == "group" || type == "channel";
}

// Leaves the session if a trigger or the time says so. Returns the text behind a trigger; none:
// the text is none.
std::optional<std::string> reset_by(Conversing& d, const ReceiveMessage& c) {
  const ConversationPolicy& policy = d.policy();
  const bool has_zone = d.context.zones != nullptr && d.context.zones->has(policy.zone);
  if (!has_zone) {
    auto remainder =
        c.is_authorised ? reset_remainder(policy.resets, c.text) : std::optional<std::string>();
    if (remainder) reset(d, ResetReason::trigger);
    return remainder;
  }
  ArrivedMessage arrived{d.s.key, c.route.channel, is_group(d.s), {}, c.text, c.is_authorised};
  if (!c.route.thread.empty()) arrived.thread.thread = c.route.thread;
  const auto updated = d.s.heard_at.us != 0 ? std::optional<Time>(d.s.heard_at) : std::nullopt;
  const MessageStart start =
      on_message(policy.resets, arrived, updated, {d.context.now, policy.zone, *d.context.zones});
  if (start.start == SessionStart::trigger) reset(d, ResetReason::trigger);
  const bool is_stale = start.start == SessionStart::daily || start.start == SessionStart::idle;
  // What runs goes on in its session.
  if (is_stale && !d.s.run && d.s.session.is_set()) {
    reset(d, start.start == SessionStart::daily ? ResetReason::daily : ResetReason::idle);
  }
  return start.remainder;
}

base::Result<Understood, Rejection> understand(Conversing& d, const ReceiveMessage& c) {
  Understood known{c.text};
  known.has_files = !c.files.empty();
  if (c.is_authorised) {
    if (is_stop(c)) {
      // It is carried out whatever files go with it.
      stop(d);
      known.directive = "/stop";
      known.is_done = true;
      return known;
    }
    if (const auto mode = parse_send_command(c.text)) {
      if (!c.files.empty()) {
        return tl::unexpected(*invalid(
            "/send gives the agent nothing, so no file can go with it; send it alone, or send the "
            "files with another text"));
      }
      if (auto bad = set_policy(d, *mode)) return tl::unexpected(*bad);
      known.directive = "/send";
      known.is_done = true;
      return known;
    }
    auto queued = understand_queue(d, std::move(known));
    if (!queued || queued->is_done) return queued;
    known = std::move(*queued);
  }
  // The answer to a task belongs to the session that has given it.
  if (c.is_announcement) return known;
  ReceiveMessage rest = c;
  rest.text = known.text;
  if (auto remainder = reset_by(d, rest)) {
    known.text = std::move(*remainder);
    known.directive = "/new";
    known.is_done = known.text.empty() && !known.has_files;
  }
  return known;
}

std::optional<Rejection> check_policy(const Conversing& d, const ReceiveMessage& c) {
  const SendDecision decided = sends_to(d.s, c.route.channel, d.policy());
  if (decided.action == SendAction::allow) return std::nullopt;
  return Rejection{RejectionCode::refused, "send blocked by session policy: " + decided.why};
}

QueueSettings settings_for(const Conversing& d, const QueueChoices& inlined,
                           const std::string& channel) {
  const ConversationPolicy& policy = d.policy();
  QueueLayers layers;
  layers.inlined = inlined;
  layers.conversation = queue_choices(d.s.entry);
  const auto of_channel = policy.queue_by_channel.find(channel);
  if (of_channel != policy.queue_by_channel.end()) layers.channel = of_channel->second;
  layers.global = policy.queue;
  return queue_settings(layers);
}

AgentWork work_of(const ConversationState& s) {
  if (!s.run) return AgentWork::none;
  // After a reset the next message is for another session.
  const bool is_steerable = s.run->is_taken && !s.run->is_to_end && s.run->session == s.session;
  return is_steerable ? AgentWork::steerable : AgentWork::busy;
}

// True if the text begins with a word such as "/compact". A path has another slash.
bool is_agents_command(std::string_view text) {
  if (!text.starts_with('/')) return false;
  const std::string_view word = text.substr(1, text.find_first_of(" \t\n") - 1);
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':';
  });
}

// True if no later message may overtake what waits: files and commands of the agent are given with
// a run of their own.
bool is_overtaking_wrong(const MessageQueue& queue) {
  return std::any_of(queue.waiting.begin(), queue.waiting.end(),
                     [](const QueuedMessage& one) { return one.is_alone || !one.files->empty(); });
}

std::vector<FileFacts> attach(Conversing& d, const PromptFiles& files) {
  std::vector<FileFacts> facts;
  for (const PromptFile& file : files) {
    d.emit(MessageFileAttached{}, file.data);
    facts.push_back(facts_of(file));
  }
  return facts;
}

// Returns where the message came from, and its answer goes to.
DeliveryContext route_of(const Conversing& d, const ReceiveMessage& c) {
  if (c.is_announcement) return d.s.last_route;
  // The subagent asks people in the place where the conversation that gave the task was heard from.
  const auto* giver = giver_of(d, c);
  return giver == nullptr ? normal_delivery(c.route) : giver->last_route;
}

Decided queue_message(Conversing d, const ReceiveMessage& c, Understood known) {
  const DeliveryContext route = route_of(d, c);
  QueueSettings settings = settings_for(d, known.inlined, route.channel);
  // An announcement interrupts nothing, and takes no other message's interrupt away.
  const bool is_quiet = c.is_announcement && settings.mode == QueueMode::interrupt;
  if (is_quiet && d.s.queue.waiting.empty()) settings.mode = QueueMode::followup;
  QueuedMessage message;
  message.id = c.id;
  message.route = {route.channel, route.to, route.account, route.thread};
  const AgentWork work = work_of(d.s);
  // The cap does not count messages that the session has for the turn under way.
  MessageQueue waiting = d.s.queue;
  std::erase_if(waiting.waiting,
                [&](const QueuedMessage& one) { return is_taken_steer(d.lanes(), d.s, one.at); });
  if (c.is_announcement && static_cast<std::int64_t>(waiting.waiting.size()) >= settings.cap) {
    return reject(RejectionCode::limit_reached,
                  d.s.key + " has as many messages as may wait; the announcement comes again");
  }
  const Admission admission = accept(waiting, message, settings);
  if (admission.outcome == AdmissionOutcome::duplicate) return std::move(d.decision);
  if (admission.outcome == AdmissionOutcome::refused) {
    return reject(RejectionCode::limit_reached,
                  std::to_string(waiting.waiting.size()) + " messages of " + d.s.key +
                      " wait, as many as may; send it again when the agent has answered");
  }
  std::vector<Position> dropped;
  for (const QueuedMessage& one : admission.dropped) dropped.push_back(one.at);
  if (!dropped.empty()) {
    d.emit(MessagesEnded{std::move(dropped), MessageEnd::dropped,
                         admission.is_summarised ? admission.summaries_max : 0});
  }
  const Arrival arrives = arrival(settings.mode, work, d.s.queue);
  // A subagent's session has one turn, and gives its run nothing back. A turn is answered where its
  // messages came from, so it takes none from elsewhere.
  const bool is_of_run = d.s.run && d.s.run->route == MessageRoute{route.channel, route.to,
                                                                   route.account, route.thread};
  const bool is_alone = is_agents_command(known.text);
  const bool can_steer = !is_alone && c.files.empty() && !is_overtaking_wrong(d.s.queue) &&
                         !is_tasked(d.s) && is_of_run;
  MessageReceived received{c.sender,       c.id,
                           route,          static_cast<std::int64_t>(known.text.size()),
                           c.start_before, settings};
  received.files = attach(d, c.files);
  received.is_alone = is_alone;
  d.emit(std::move(received), std::move(known.text));
  // A run that no agent has yet is interrupted once one has it, so that its messages are given.
  const bool interrupts = arrives == Arrival::interrupts && !is_quiet;
  if (interrupts && d.s.is_started && !d.s.run->is_to_end) {
    d.emit(ConversationRunInterruptRequested{d.s.run->run});
    d.emit_to_lanes(LaneInterrupted{d.id()});
  }
  const bool steers = arrives == Arrival::steers || arrives == Arrival::steers_and_waits;
  if (steers && can_steer) {
    d.emit_to_lanes(SteerOffered{d.id(), d.s.queue.last, arrives == Arrival::steers_and_waits});
  }
  tell_lanes(d);
  if (c.is_announcement) clean_up(d, c.deletes);
  return std::move(d.decision);
}

}  // namespace

SendDecision sends_to(const ConversationState& s, const std::string& channel,
                      const ConversationPolicy& policy) {
  SendSubject subject;
  subject.setting = parse_send_action(field_of(s.entry, "sendPolicy"));
  subject.key = s.key;
  subject.channels = {channel, s.last_route.channel};
  subject.chat_type = parse_chat_type(field_of(s.entry, "chatType"));
  return resolve_send(policy.send, subject);
}

Decided decide_one(Conversing d, const ReceiveMessage& c) {
  if (auto bad = check_message(c, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_task(d, c)) return tl::unexpected(*bad);
  if (d.s.key.empty()) {
    if (auto bad = check_spec(c.spec, d.context.engines)) return tl::unexpected(*bad);
    d.emit(ConversationOpened{c.session_key, c.spec, c.origin,
                              thread_parent(c.session_key).value_or(c.parent), c.caller,
                              c.cleanup});
  }
  if (auto bad = check_takes_files(c.files, d.s.spec->engine, d.context.file_engines)) {
    return tl::unexpected(*bad);
  }
  if (auto bad = patch(d, c.entry, {})) return tl::unexpected(*bad);
  const DeliveryContext route = route_of(d, c);
  if (is_seen(d.s, c.id, {route.channel, route.to, route.account, route.thread})) {
    return std::move(d.decision);
  }
  auto known = understand(d, c);
  if (!known) return tl::unexpected(known.error());
  if (known->is_done) {
    d.emit(DirectiveReceived{std::string(known->directive), c.sender, c.id, route});
    tell_lanes(d);
    return std::move(d.decision);
  }
  // A policy is about what people and bridges send.
  if (!c.is_announcement) {
    if (auto bad = check_policy(d, c)) return tl::unexpected(*bad);
  }
  return queue_message(std::move(d), c, std::move(*known));
}

}  // namespace domain
