// What programs, agents and people ask of conversations.
#include <chrono>
#include <utility>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/peer_key.hpp"
#include "eventlog/domain/conversation/routing.hpp"
#include "eventlog/domain/conversation/subagent_spawn.hpp"
#include "workers/operations/conversing.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/operations/transcript_pages.hpp"

namespace workers {
namespace {

constexpr std::size_t kLastWordsColumns = 120;

// Where messages come from, and answers go to, is for people and bridges to say.
bool names_place(const SendArguments& said) {
  return !said.channel.empty() || !said.account.empty() || !said.peer.empty() || !said.to.empty() ||
         !said.thread.empty() || !said.guild.empty() || !said.team.empty();
}

// Returns whose conversation the message is for.
Outcome<NamedConversation> addressed(const Caller& caller, const SendArguments& said) {
  if (!caller.self.empty() && names_place(said)) {
    return refuse(OperationError::refused,
                  "the agent of a session names a conversation by its key, and no place of it");
  }
  if (!said.key.empty()) return named_conversation(caller, said.key);
  std::string key = "main";
  if (!said.channel.empty()) {
    domain::RoutingSettings routing = caller.routing;
    if (routing.agents.empty()) routing.agents.push_back({caller.agent, true});
    domain::MessageSource source{said.channel, said.account};
    if (!said.peer.empty()) source.peer = domain::Peer{said.peer_kind, said.peer};
    source.guild = said.guild;
    source.team = said.team;
    key = domain::route_message(source, routing).session_key;
  } else if (!said.peer.empty()) {
    return refuse(OperationError::usage, "a peer needs the channel that it is on");
  }
  key = domain::thread_session_key(key, said.thread, key).key;
  return named_conversation(caller, key);
}

domain::ReceiveMessage message_of(const Caller& caller, const SendArguments& said,
                                  const NamedConversation& named) {
  domain::ReceiveMessage message;
  message.session_key = named.key;
  message.spec = caller.defaults.spec;
  message.text = said.message;
  message.sender = said.sender;
  message.id = said.id;
  // A request that comes again with its key is the same message.
  if (message.id.empty() && caller.identity) message.id = "request " + caller.identity->id.text();
  // What changes a conversation is not for agents, whatever words they find for it.
  message.is_authorised = !said.is_plain && caller.self.empty();
  message.caller = session_of(caller);
  message.route.channel = said.channel;
  message.route.account = said.account;
  message.route.to = said.to.empty() ? said.peer : said.to;
  message.route.thread = said.thread;
  if (!said.peer.empty()) message.entry["chatType"] = base::enum_name(said.peer_kind);
  if (said.start_within > 0) {
    message.start_before = caller.server.clock().wall() + std::chrono::seconds(said.start_within);
  }
  return message;
}

// Holds the sessions that a program's first message opens to its grant.
Task<Outcome<bool>> apply_grant(const Caller& caller, domain::SessionSpec& spec) {
  if (!caller.is_program) co_return true;
  const auto grant = co_await program_grant(caller);
  if (!grant) co_return tl::unexpected(grant.error());
  const SaidForGrant is_said = [](std::string_view) { return false; };
  const auto held = co_await hold_to(*grant, is_said, caller, nullptr, spec);
  if (!held) co_return tl::unexpected(held.error());
  co_return true;
}

// Nobody waits for what can come only once he waits no more.
Task<Outcome<bool>> check_wait(const Caller& caller, const SendArguments& said,
                               const NamedConversation& named) {
  if (said.wait == 0 || caller.self.empty()) co_return true;
  const auto own = co_await own_session(caller);
  if (!own) co_return tl::unexpected(own.error());
  if (!*own || (*own)->session.descriptor.conversation != named.key) co_return true;
  co_return refuse(OperationError::usage,
                   "this session works for " + named.key +
                       ", so its answer cannot be waited for; leave out timeout_seconds");
}

// Returns the conversation that gives a task: of an agent in a session only that session's own.
Task<Outcome<NamedConversation>> task_giver(const Caller& caller, const std::string& key) {
  if (caller.self.empty()) co_return named_conversation(caller, key.empty() ? "main" : key);
  const auto own = co_await own_session(caller);
  if (!own) co_return tl::unexpected(own.error());
  const std::string giver = *own ? (*own)->session.descriptor.conversation : std::string();
  if (giver.empty()) {
    co_return refuse(OperationError::refused,
                     "this session works for no conversation that could hear of a task; launch a "
                     "session instead");
  }
  auto named = named_conversation(caller, key.empty() ? giver : key);
  if (named && named->key != giver) {
    co_return refuse(OperationError::refused,
                     "this session gives tasks for its own conversation, " + giver + ", alone");
  }
  co_return named;
}

// What changes a conversation is for people, and for programs that speak for them.
Outcome<NamedConversation> changeable(const Caller& caller, const std::string& key) {
  if (!caller.self.empty()) {
    return refuse(OperationError::refused,
                  "the agent of a session cannot change conversations; a person does");
  }
  return named_conversation(caller, key);
}

template <class Request>
Task<Outcome<OneConversation>> change(const Caller& caller, std::string key, Request request) {
  const auto named = changeable(caller, key);
  if (!named) co_return tl::unexpected(named.error());
  request.session_key = named->key;
  const domain::ConversationCommand command(std::move(request));
  const auto reply = co_await send_command(caller, *named, command);
  if (!reply) co_return tl::unexpected(reply.error());
  auto shown = co_await find_conversation(caller, *named);
  if (!shown) co_return tl::unexpected(shown.error());
  co_return OneConversation{std::move(*shown), caller.server.clock().wall()};
}

constexpr std::string_view kCompact = "compact";  // as agents call it

// Returns what was said last, in one line; empty: nothing.
Task<Outcome<std::string>> last_words_of(const Caller& caller,
                                         const projections::ConversationShown& shown) {
  const bool has_session = shown.session.is_set();
  if (!has_session && shown.past.empty()) co_return std::string();
  const base::SessionId session = has_session ? shown.session : shown.past.back().session;
  const std::vector<TranscriptPart> parts{{session, shown.agent}};
  TranscriptWanted wanted;
  wanted.roles = {SaidBy::user, SaidBy::assistant};
  wanted.count = 1;
  wanted.wants_messages = true;
  const auto page = co_await transcript_page(caller, parts, wanted);
  if (!page) co_return tl::unexpected(page.error());
  if (page->items.empty()) co_return std::string();
  co_return prompt_beginning(page->items.back().item.text, kLastWordsColumns);
}

Outcome<ConversationFilter> filter_of(const ConversationsArguments& said) {
  ConversationFilter filter;
  for (const std::string& word : said.kinds) {
    const auto kind = base::parse_enum<domain::ToolKind>(word);
    if (!kind) {
      return refuse(
          OperationError::usage,
          "kinds has '" + shown(word) + "'; accepted are main, group, cron, hook, node and other");
    }
    filter.kinds.insert(*kind);
  }
  filter.label = said.label;
  filter.spawned_by = said.spawned_by;
  filter.words = said.search;
  filter.wants_titles = said.with_titles;
  if (said.before.empty()) return filter;
  const std::size_t blank = said.before.find(' ');
  const auto time = base::parse_digits(said.before.substr(0, blank));
  if (!time || blank == std::string::npos) {
    return refuse(OperationError::usage,
                  "before takes what an answer with more to come says, not " + shown(said.before));
  }
  filter.before = base::Time{*time};
  filter.before_key = said.before.substr(blank + 1);
  return filter;
}

}  // namespace

Task<Outcome<SentMessage>> send_message(const Caller& caller, const SendArguments& arguments) {
  auto named = addressed(caller, arguments);
  if (!named) co_return tl::unexpected(named.error());
  const auto can_wait = co_await check_wait(caller, arguments, *named);
  if (!can_wait) co_return tl::unexpected(can_wait.error());
  const LongWait counted(caller.server, arguments.wait > 0);
  if (!counted.has_room()) {
    co_return refuse(OperationError::busy,
                     "many messages wait for their answers already; send this "
                     "one without timeout_seconds");
  }
  auto files = prompt_files(caller, arguments.files);
  if (!files) co_return tl::unexpected(files.error());
  domain::ReceiveMessage message = message_of(caller, arguments, *named);
  message.files = std::move(*files);
  const auto held = co_await apply_grant(caller, message.spec);
  if (!held) co_return tl::unexpected(held.error());
  const domain::ConversationCommand command(std::move(message));
  auto reply = co_await send_command(caller, *named, command);
  if (!reply) co_return tl::unexpected(reply.error());
  SentMessage sent{std::move(*named), *reply, {}, arguments.wait > 0};
  if (!sent.is_waited_for) co_return sent;
  auto outcome = co_await await_answer(caller, sent.conversation, sent.reply,
                                       std::chrono::seconds(arguments.wait));
  if (!outcome) co_return tl::unexpected(outcome.error());
  sent.outcome = std::move(*outcome);
  co_return sent;
}

Task<Outcome<StartedTask>> start_task(const Caller& caller, const TaskArguments& arguments) {
  const auto parent = co_await task_giver(caller, arguments.parent);
  if (!parent) co_return tl::unexpected(parent.error());
  domain::SpawnRequester requester;
  requester.key = parent->key;
  requester.keys.agent = parent->agent;
  domain::SpawnAsked asked;
  asked.task = arguments.task;
  asked.label = arguments.label;
  asked.agent = arguments.agent;
  asked.model = arguments.model;
  asked.cleanup = arguments.cleanup;
  domain::SpawnLimits limits;
  if (caller.self.empty()) limits.allowed_agents = {"*"};
  const auto accepted = domain::check_spawn(asked, limits, requester);
  if (!accepted) {
    const bool is_usage = accepted.error().fault == domain::SpawnFault::no_task;
    co_return refuse(is_usage ? OperationError::usage : OperationError::refused,
                     accepted.error().text);
  }
  const std::string id = base::SessionId{command_id(caller).bytes}.text();
  StartedTask started{
      {accepted->agent, domain::subagent_key(accepted->agent, id)}, parent->key, {}};
  domain::ReceiveMessage message;
  message.session_key = started.subagent.key;
  message.parent = parent->key;
  message.text = accepted->task;
  message.sender = parent->key;
  message.is_authorised = false;
  message.spec = caller.defaults.spec;
  message.spec.run_timeout = arguments.timeout == 0
                                 ? base::Duration{-1}
                                 : base::Duration(std::chrono::seconds(arguments.timeout));
  message.caller = session_of(caller);
  message.cleanup = accepted->cleanup;
  if (!accepted->label.empty()) message.entry["label"] = accepted->label;
  if (!accepted->model.empty()) message.entry["modelOverride"] = accepted->model;
  const auto held = co_await apply_grant(caller, message.spec);
  if (!held) co_return tl::unexpected(held.error());
  const domain::ConversationCommand command(std::move(message));
  auto reply = co_await send_command(caller, started.subagent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  started.reply = *reply;
  co_return started;
}

Task<Outcome<ConversationPage>> list_conversations(const Caller& caller,
                                                   const ConversationsArguments& arguments) {
  const auto filter = filter_of(arguments);
  if (!filter) co_return tl::unexpected(filter.error());
  const bool is_beyond =
      arguments.is_of_all || (!arguments.agent.empty() && arguments.agent != caller.agent);
  if (!caller.self.empty() && is_beyond) {
    co_return refuse(OperationError::refused,
                     "the agent of a session sees the conversations of its own agent");
  }
  QueryBody query;
  query.agent = arguments.agent.empty() ? caller.agent : arguments.agent;
  if (arguments.is_of_all) query.agent.clear();
  query.limit = arguments.limit;
  query.filter = *filter;
  const base::Time now = caller.server.clock().wall();
  if (arguments.active_minutes > 0) {
    query.active_since = now + -base::Duration(std::chrono::minutes(arguments.active_minutes));
  }
  auto answer = co_await caller.server.ask<ConversationsAnswer>(kVerbConversations, query);
  if (!answer) co_return tl::unexpected(answer.error());
  ConversationPage page{std::move(answer->conversations), now, answer->has_more};
  if (!arguments.with_last) co_return page;
  for (const projections::ConversationShown& one : page.conversations) {
    auto last = co_await last_words_of(caller, one);
    if (!last) co_return tl::unexpected(last.error());
    page.last.push_back(std::move(*last));
  }
  co_return page;
}

Task<Outcome<OneConversation>> show_conversation(const Caller& caller,
                                                 const ConversationArguments& arguments) {
  const base::Time now = caller.server.clock().wall();
  if (!arguments.key.empty()) {
    const auto named = named_conversation(caller, arguments.key);
    if (!named) co_return tl::unexpected(named.error());
    auto shown = co_await find_conversation(caller, *named);
    if (!shown) co_return tl::unexpected(shown.error());
    co_return OneConversation{std::move(*shown), now};
  }
  QueryBody query;
  query.agent = caller.agent;
  query.limit = 1;
  ConversationFilter filter;
  filter.label = arguments.label;
  if (!arguments.session.empty()) {
    const auto session = base::SessionId::parse(arguments.session);
    if (!session) {
      co_return refuse(OperationError::usage, "session_id takes the whole id of a session, not " +
                                                  shown(arguments.session));
    }
    filter.session = *session;
  } else if (arguments.label.empty()) {
    co_return refuse(OperationError::usage, "name a conversation by key, session_id or label");
  }
  query.filter = filter;
  auto answer = co_await caller.server.ask<ConversationsAnswer>(kVerbConversations, query);
  if (!answer) co_return tl::unexpected(answer.error());
  if (answer->conversations.empty()) {
    co_return refuse(OperationError::not_found,
                     "agent " + caller.agent + " has no conversation with that " +
                         (arguments.session.empty() ? "label" : "session"));
  }
  co_return OneConversation{std::move(answer->conversations.front()), now};
}

Task<Outcome<OneConversation>> patch_conversation(const Caller& caller,
                                                  const PatchArguments& arguments) {
  domain::PatchConversation patch;
  patch.set = arguments.set;
  patch.cleared = arguments.cleared;
  return change(caller, arguments.key, std::move(patch));
}

Task<Outcome<OneConversation>> reset_conversation(const Caller& caller,
                                                  const ResetArguments& arguments) {
  return change(caller, arguments.key, domain::ResetConversation{{}, arguments.is_undo});
}

Task<Outcome<OneConversation>> stop_conversation(const Caller& caller,
                                                 const KeyArguments& arguments) {
  return change(caller, arguments.key, domain::StopConversation{});
}

// The agent takes it as a command of its own, and only as a prompt of its own.
Task<Outcome<OneConversation>> compact_conversation(const Caller& caller,
                                                    const KeyArguments& arguments) {
  const auto named = changeable(caller, arguments.key);
  if (!named) co_return tl::unexpected(named.error());
  const auto shown = co_await find_conversation(caller, *named);
  if (!shown) co_return tl::unexpected(shown.error());
  if (!shown->session.is_set()) {
    co_return refuse(OperationError::conflict,
                     named->key + " has no session yet, and no context to be compacted");
  }
  if (shown->run.is_set() || shown->waiting > 0) {
    co_return refuse(OperationError::conflict,
                     named->key + " is at work; compact its context when it rests");
  }
  Caller of_agent = caller;
  of_agent.agent = named->agent;
  const CommandsArguments of_session{shown->session.text()};
  const auto offered = co_await list_commands(of_agent, of_session);
  if (!offered) co_return tl::unexpected(offered.error());
  const std::vector<std::string>& known = offered->commands;
  const bool can_compact = std::find(known.begin(), known.end(), kCompact) != known.end();
  if (!can_compact) {
    co_return refuse(OperationError::conflict,
                     "the agent of " + named->key + " does not compact its context when asked");
  }
  domain::ReceiveMessage message;
  message.text = "/" + std::string(kCompact);
  message.is_authorised = false;
  // It begins no session anew, and its answer goes to where the conversation was last heard from.
  message.is_announcement = true;
  auto changed = co_await change(caller, arguments.key, std::move(message));
  co_return changed;
}

Task<Outcome<DeletedConversation>> delete_conversation(const Caller& caller,
                                                       const KeyArguments& arguments) {
  const auto named = changeable(caller, arguments.key);
  if (!named) co_return tl::unexpected(named.error());
  const domain::ConversationCommand command(domain::DeleteConversation{named->key});
  const auto reply = co_await send_command(caller, *named, command);
  if (!reply) co_return tl::unexpected(reply.error());
  co_return DeletedConversation{named->key};
}

}  // namespace workers
