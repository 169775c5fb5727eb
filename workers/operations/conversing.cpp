// A message's way is read from its conversation's own stream.
#include "workers/operations/conversing.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eventlog/domain/conversation/session_key.hpp"
#include "workers/json/event_json.hpp"
#include "workers/operations/asking.hpp"
#include "workers/operations/output_pages.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace workers {

// What the stream says of one message so far.
struct MessageWay {
  base::Position message;
  base::Position begun_at;  // of its run
  std::int64_t told = 0;    // the last request that somebody heard of
  MessageOutcome outcome;
};

namespace {

// Answers come soon, or after long work.
constexpr base::Duration kAnswerLookMin = std::chrono::milliseconds(20);
constexpr base::Duration kAnswerLookMax = std::chrono::milliseconds(500);

std::string why_of(const domain::MessagesEnded& ended) {
  std::string why(base::enum_name(ended.end));
  if (!ended.error.empty()) why += ": " + ended.error;
  return why;
}

void take(const domain::RecordedEvent& recorded, MessageWay& way) {
  const domain::Event& event = recorded.event;
  const auto is_its = [&](const std::vector<base::Position>& messages) {
    return std::find(messages.begin(), messages.end(), way.message) != messages.end();
  };
  MessageOutcome& outcome = way.outcome;
  if (const auto* ended = event.as<domain::MessagesEnded>(); ended && is_its(ended->messages)) {
    outcome.is_over = true;
    outcome.why = why_of(*ended);
  } else if (const auto* begun = event.as<domain::ConversationRunBegun>();
             begun && is_its(begun->run->messages)) {
    way.begun_at = recorded.envelope.position;
    outcome.session = begun->run->session;
    outcome.run = begun->run->run;
  } else if (const auto* steered = event.as<domain::MessageSteered>();
             steered && steered->message == way.message && !steered->is_kept) {
    way.begun_at = way.message;
    outcome.run = steered->run;
  } else if (const auto* back = event.as<domain::ConversationRunReturned>();
             back && back->run == outcome.run) {
    outcome.run = {};
    way.told = 0;
  } else if (const auto* over = event.as<domain::ConversationRunEnded>();
             over && over->run == outcome.run && outcome.run.is_set()) {
    outcome.is_over = true;
    const bool is_finished = over->outcome == domain::RunEnd::finished;
    if (!is_finished) outcome.why = std::string(base::enum_name(over->outcome));
  }
}

// Returns what the agent said last in that turn.
Task<Outcome<std::string>> last_words(const Caller& caller, const NamedConversation& named,
                                      const MessageWay& way) {
  Caller of_agent = caller;
  of_agent.agent = named.agent;
  std::string words;
  base::Position after = way.begun_at;
  for (bool has_more = true; has_more;) {
    const auto page = co_await next_output_page(of_agent, way.outcome.session.text(), after);
    if (!page) co_return tl::unexpected(page.error());
    for (const OutputItem& item : page->items) {
      const bool is_whole = item.type != domain::PartialOutputRecorded::kType;
      if (item.turn == way.outcome.run && item.kind == ItemKind::said && is_whole &&
          item.parent.empty()) {
        words = item.text;
      }
    }
    after = page->through;
    has_more = page->has_more;
  }
  co_return words;
}

// Returns what the agent asks of people in that run. What cannot be read now can be later.
Task<std::vector<AskShown>> asks_in_run(const Caller& caller, const NamedConversation& named,
                                        const MessageOutcome& outcome) {
  if (!outcome.run.is_set() || !outcome.session.is_set()) co_return {};
  Caller of_agent = caller;
  of_agent.agent = named.agent;
  const std::string session = outcome.session.text();
  auto page = co_await find_asks(of_agent, session);
  if (!page) co_return {};
  co_return std::move(page->asks);
}

void tell_new(const OnAsk& on_ask, MessageWay& way) {
  for (const AskShown& ask : way.outcome.asks) {
    if (on_ask && ask.ask > way.told) on_ask(ask);
    way.told = std::max(way.told, ask.ask);
  }
}

}  // namespace

Outcome<NamedConversation> named_conversation(const Caller& caller, const std::string& given) {
  if (auto fault = domain::session_key_fault(given)) return refuse(OperationError::usage, *fault);
  domain::KeySettings settings;
  settings.agent = caller.agent;
  auto key = domain::canonical_key(given, settings);
  if (!key) return refuse(OperationError::usage, "'" + shown(given) + "' is no session key");
  std::string agent = domain::agent_of_key(*key);
  if (!caller.self.empty() && agent != caller.agent) {
    return refuse(OperationError::refused, *key + " is a conversation of agent " + agent +
                                               "; this session is one of " + caller.agent);
  }
  return NamedConversation{std::move(agent), std::move(*key)};
}

Task<Outcome<ConversationReplyBody>> send_command(const Caller& caller,
                                                  const NamedConversation& named,
                                                  const domain::ConversationCommand& command) {
  CommandBody body = encode_command(command);
  body.agent = named.agent;
  body.actor = caller.actor;
  if (caller.identity) body.asked = caller.identity->asked;
  return caller.server.command<ConversationReplyBody>(command_id(caller), body);
}

Task<Outcome<projections::ConversationShown>> find_conversation(const Caller& caller,
                                                                const NamedConversation& named) {
  QueryBody query;
  query.agent = named.agent;
  query.reference = named.key;
  auto answer = co_await caller.server.ask<ConversationsAnswer>(kVerbConversations, query);
  if (!answer) co_return tl::unexpected(answer.error());
  if (answer->conversations.empty()) {
    co_return refuse(OperationError::not_found,
                     "there is no conversation " + named.key + "; a message to it begins one");
  }
  co_return std::move(answer->conversations.front());
}

Task<Outcome<MessageOutcome>> await_answer(const Caller& caller, const NamedConversation& named,
                                           const ConversationReplyBody& reply, base::Duration most,
                                           OnAsk on_ask) {
  base::Clock& clock = caller.server.clock();
  const base::Duration until = clock.boot() + most;
  MessageWay way;
  way.message = reply.message;
  // The session of the run that was under way, into which the message can go.
  way.outcome.session = reply.session;
  way.outcome.is_over = reply.message.value == 0;
  bus::ReadRequest read;
  read.level = conversation_level(named.agent, named.key);
  read.after = reply.message;
  base::Duration pause = kAnswerLookMin;
  while (!way.outcome.is_over) {
    const auto page = co_await caller.server.ask<bus::LogPage>(bus::kReadVerb, read);
    if (!page) co_return tl::unexpected(page.error());
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = see(event);
      if (seen && !way.outcome.is_over) take(seen->recorded, way);
    }
    read.after = page->complete_through;
    if (page->complete_through < page->head) continue;
    if (way.outcome.is_over) break;
    way.outcome.asks = co_await asks_in_run(caller, named, way.outcome);
    way.outcome.as_of = clock.wall();
    tell_new(on_ask, way);
    if (clock.boot() >= until) break;
    auto wait = caller.server.after(std::min(pause, until - clock.boot()));
    co_await wait;
    pause = std::min(2 * pause, kAnswerLookMax);
  }
  if (way.outcome.is_over) way.outcome.asks.clear();
  if (way.outcome.is_over && way.outcome.run.is_set() && way.outcome.session.is_set()) {
    auto words = co_await last_words(caller, named, way);
    if (!words) co_return tl::unexpected(words.error());
    way.outcome.answer = std::move(*words);
  }
  co_return way.outcome;
}

}  // namespace workers
