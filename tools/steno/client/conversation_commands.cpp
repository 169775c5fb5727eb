// `steno conv`: talks to conversations, lists them, and changes their settings.
#include <algorithm>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/queue_directive.hpp"
#include "eventlog/domain/conversation/reset_policy.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/own_grant.hpp"
#include "tools/steno/client/prompt_editor.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/client/shown_ask.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/client/task_to_give.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/asking.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/opening.hpp"
#include "workers/operations/results.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::ConversationShown;
using workers::safe_line;

// An answer is waited for as long as anybody stays.
constexpr base::Duration kAnswerWait = std::chrono::hours(24 * 365);

// Returns the conversation that is meant by the key; "main" is the agent's main one.
Outcome<workers::NamedConversation> named(const Connection& connection, const std::string& key) {
  auto known = workers::named_conversation(connection.caller(), key);
  if (!known) return fail(known.error());
  return std::move(*known);
}

// Returns the last route in a line: "telegram 1234", empty: none is known.
std::string route_text(const domain::DeliveryContext& route) {
  std::string text = route.channel;
  for (const std::string* part : {&route.account, &route.to, &route.thread}) {
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  return text;
}

std::string state_text(const ConversationShown& one) {
  std::string text = one.run.is_set() ? "at work" : one.waiting > 0 ? "waits" : "rests";
  if (one.waiting > 0) text += ", " + std::to_string(one.waiting) + " waiting";
  return text;
}

std::string table_text(const std::vector<ConversationShown>& all, base::Time now) {
  Table table({{"KEY", Align::left, 60},
               {"LABEL", Align::left, 24},
               {"TITLE", Align::left, 40, true},
               {"STATE"},
               {"MESSAGES", Align::right},
               {"LAST", Align::right},
               {"ROUTE", Align::left, 32, true}});
  for (const ConversationShown& one : all) {
    table.add({one.key, safe_line(domain::field_of(one.entry, "label")), safe_line(one.title),
               state_text(one), std::to_string(one.messages), duration_text(now - one.updated_at),
               safe_line(route_text(one.last_route))});
  }
  return table.text(stdout_columns());
}

// Prints which session it is, and what its agent asks; the id alone if nobody knows more now.
void print_session(Connection& connection, const ConversationShown& one) {
  const std::string id = one.session.is_set() ? one.session.text() : std::string("none yet");
  workers::Caller caller = connection.caller();
  caller.agent = one.agent;
  if (!one.session.is_set()) return print("  session   " + id + "\n");
  const auto found = connection.run(workers::find_named_session(caller, id));
  if (!found) return print("  session   " + id + "\n");
  print("  session   " + found->session.alias + "  " + workers::status_text(found->session) + "  " +
        id + "\n");
  const auto page = connection.run(workers::find_asks(caller, id));
  if (!page) return;
  for (const workers::AskShown& ask : page->asks) {
    print("  asks      " + workers::ask_line(ask.kind, ask.tool, workers::read_ask(ask.text)) +
          "\n            → " + how_to_answer(ask) + "\n");
  }
}

// Returns what its session has used so far; empty: nothing yet.
std::string use_text(const projections::ConversationUse& use) {
  if (use == projections::ConversationUse{}) return {};
  std::string text = std::to_string(use.usage.input_tokens) + " tokens in, " +
                     std::to_string(use.usage.output_tokens) + " out, " +
                     std::to_string(use.usage.cache_read_tokens) + " from cache, " +
                     workers::dollars_text(use.cost);
  if (use.compactions > 0) {
    text += ", " + std::to_string(use.compactions) +
            (use.compactions == 1 ? " compaction" : " compactions");
  }
  if (!use.model.empty()) text += ", by " + safe_line(use.model);
  return text;
}

void print_shown(Connection& connection, const ConversationShown& one) {
  const base::Time now = connection.clock().wall();
  print(one.key + "\n");
  print("  state     " + state_text(one) + "\n");
  print("  messages  " + std::to_string(one.messages) + " in " + std::to_string(one.runs) +
        (one.runs == 1 ? " run\n" : " runs\n"));
  print_session(connection, one);
  const std::string use = use_text(one.use);
  if (!use.empty()) print("  used      " + use + "\n");
  for (const domain::PastSession& past : one.past) {
    print("  before    " + past.session.text() + ", left " + duration_text(now - past.at) +
          " ago (" + std::string(base::enum_name(past.reason)) + ")\n");
  }
  if (!one.files.empty()) {
    print("  files     " + safe_line(domain::files_text(one.files)) + "\n");
  }
  const std::string route = route_text(one.last_route);
  if (!route.empty()) print("  route     " + safe_line(route) + "\n");
  if (!one.parent.empty()) print("  parent    " + safe_line(one.parent) + "\n");
  for (const auto& [name, text] : one.entry) {
    print("  " + name + "  " + safe_line(text) + "\n");
  }
}

Outcome<int> print_reply(const Config& config, const workers::ConversationReplyBody& reply,
                         const std::string& text) {
  print(config.output == OutputFormat::table ? text + "\n" : workers::to_json(reply) + "\n");
  return kExitOk;
}

// Sends a request that has no answer of its own.
template <class Request>
Outcome<int> ask(const Config& config, const ConversationArguments& arguments, Request request,
                 const std::string& done) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto meant = named(**connection, arguments.key);
  if (!meant) return tl::unexpected(meant.error());
  if (!(*connection)->caller().self.empty()) {
    return fail(kExitRefused, "the agent of a session changes no conversations; a person does");
  }
  request.session_key = meant->key;
  const auto reply =
      (*connection)
          ->command_conversation(meant->agent, domain::ConversationCommand(std::move(request)));
  if (!reply) return tl::unexpected(reply.error());
  return print_reply(config, *reply, done + " " + meant->key);
}

// Says what a command of the conversation did.
std::string done_text(const std::string& text, const std::string& key) {
  if (domain::is_stop_request(text, true)) return "stopped " + key;
  const domain::QueueDirective queue = domain::parse_queue_directive(text);
  if (queue.is_present && domain::reply_kind(queue) == domain::QueueReply::status) {
    return "changed nothing; steno conv show " + key + " says what holds";
  }
  return (domain::reset_remainder({}, text) ? "reset " : "changed ") + key;
}

std::string received_text(const workers::ConversationReplyBody& reply, const std::string& text,
                          const std::string& key) {
  if (reply.message.value == 0) return done_text(text, key);
  if (reply.waiting > 0 && reply.run.is_set()) {
    return key + ": " + std::to_string(reply.waiting) +
           (reply.waiting == 1 ? " message waits" : " messages wait") + " for the agent";
  }
  return key + (reply.messages == 1 ? ": received, as the first message of a new conversation"
                                    : ": received");
}

// Waits for the answer to a message that was received, and prints it.
Outcome<int> print_answer(Connection& connection, const Config& config,
                          const workers::NamedConversation& named,
                          const workers::ConversationReplyBody& reply) {
  const workers::OnAsk on_ask = [&](const workers::AskShown& ask) {
    remark("the agent asks, and waits for an answer:");
    const std::string text = whole_text(ask, connection.clock().wall());
    for (const std::string_view line : workers::lines_of(text)) remark(line);
  };
  auto outcome =
      connection.run(workers::await_answer(connection.caller(), named, reply, kAnswerWait, on_ask));
  if (!outcome) return tl::unexpected(outcome.error());
  if (config.output != OutputFormat::table) {
    print(workers::sent_json({named, reply, std::move(*outcome), true}) + "\n");
    return kExitOk;
  }
  if (!outcome->answer.empty()) print(workers::safe_text(outcome->answer) + "\n");
  if (!outcome->why.empty()) return fail(kExitFailed, named.key + ": " + outcome->why);
  return kExitOk;
}

}  // namespace

Outcome<int> conversation_send(const Config& config, const ConversationArguments& arguments) {
  auto files = files_of(arguments.files, arguments.text);
  if (!files) return tl::unexpected(files.error());
  auto text = prompt_of(arguments.text, arguments.place, !files->empty());
  if (!text) return tl::unexpected(text.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto meant = named(**connection, arguments.key);
  if (!meant) return tl::unexpected(meant.error());
  domain::ReceiveMessage message;
  message.session_key = meant->key;
  message.spec = spec_defaults(config).spec;
  message.text = *text;
  message.files = std::move(*files);
  message.sender = arguments.sender;
  message.id = arguments.id;
  // Commands of the conversation, and where a message comes from, are for people.
  const bool is_persons = (*connection)->caller().self.empty();
  message.is_authorised = !arguments.is_plain && is_persons;
  if (const auto route = domain::parse_route(config.channel); route && is_persons) {
    message.route.channel = route->channel;
    message.route.account = route->account;
    message.route.to = route->target;
    message.route.thread = arguments.thread.empty() ? route->thread : arguments.thread;
  }
  if (const auto ok = workers::check_workdir(message.spec.workdir); !ok) {
    return fail(ok.error());
  }
  const auto held = hold_process(**connection, nullptr, message.spec);
  if (!held) return tl::unexpected(held.error());
  if (is_flag(config, "start_within") && config.start_within.count() > 0) {
    message.start_before = (*connection)->clock().wall() + config.start_within;
  }
  const auto reply =
      (*connection)
          ->command_conversation(meant->agent, domain::ConversationCommand(std::move(message)));
  if (!reply) return tl::unexpected(reply.error());
  drop_draft(arguments.place);
  if (!arguments.waits) {
    return print_reply(config, *reply, received_text(*reply, *text, meant->key));
  }
  return print_answer(**connection, config, *meant, *reply);
}

Outcome<int> conversation_spawn(const Config& config, const TaskToGive& arguments) {
  auto task = static_cast<const workers::TaskArguments&>(arguments);
  auto text = prompt_of(arguments.task, arguments.place);
  if (!text) return tl::unexpected(text.error());
  task.task = std::move(*text);
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto started = (*connection)->run(workers::start_task((*connection)->caller(), task));
  if (!started) return tl::unexpected(started.error());
  print((config.output == OutputFormat::table ? workers::text_of(*started, workers::Reader::person)
                                              : workers::started_json(*started)) +
        "\n");
  return kExitOk;
}

Outcome<int> conversation_list(const Config& config, const ConversationArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  workers::QueryBody query;
  if (!arguments.all_agents) query.agent = config.agent;
  query.limit = arguments.limit;
  if (!arguments.since.empty()) {
    const auto since = since_of(arguments.since, (*connection)->clock().wall());
    if (!since) return tl::unexpected(since.error());
    query.active_since = *since;
  }
  workers::ConversationFilter filter;
  for (const std::string& kind : arguments.kinds) {
    if (const auto known = base::parse_enum<domain::ToolKind>(kind)) filter.kinds.insert(*known);
  }
  filter.label = arguments.label;
  filter.words = arguments.words;
  filter.wants_titles = true;
  query.filter = filter;
  const auto answer =
      (*connection)->ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*answer) + "\n");
  } else if (answer->conversations.empty()) {
    const bool is_all = arguments.kinds.empty() && arguments.label.empty() &&
                        arguments.words.empty() && arguments.since.empty();
    remark(is_all ? "there are no conversations; steno conv send main 'hello' begins one"
                  : "no conversation is like that; steno conv ls shows all");
  } else {
    print(table_text(answer->conversations, (*connection)->clock().wall()));
    if (answer->has_more) {
      remark("there are more; --limit shows up to 1000, and --since, --kind and words fewer");
    }
  }
  return kExitOk;
}

Outcome<int> conversation_show(const Config& config, const ConversationArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto meant = named(**connection, arguments.key);
  if (!meant) return tl::unexpected(meant.error());
  const auto one = (*connection)->run(workers::find_conversation((*connection)->caller(), *meant));
  if (!one) return tl::unexpected(one.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*one) + "\n");
  } else {
    print_shown(**connection, *one);
  }
  return kExitOk;
}

Outcome<int> conversation_set(const Config& config, const ConversationArguments& arguments) {
  domain::PatchConversation patch;
  for (const std::string& setting : arguments.settings) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos) return fail(kExitUsage, "'" + setting + "' is no NAME=VALUE");
    if (at + 1 == setting.size()) {
      patch.cleared.push_back(setting.substr(0, at));
    } else {
      patch.set[setting.substr(0, at)] = setting.substr(at + 1);
    }
  }
  return ask(config, arguments, std::move(patch), "changed");
}

Outcome<int> conversation_reset(const Config& config, const ConversationArguments& arguments) {
  return ask(config, arguments, domain::ResetConversation{}, "reset");
}

Outcome<int> conversation_undo(const Config& config, const ConversationArguments& arguments) {
  return ask(config, arguments, domain::ResetConversation{{}, true}, "undid the reset of");
}

Outcome<int> conversation_stop(const Config& config, const ConversationArguments& arguments) {
  return ask(config, arguments, domain::StopConversation{}, "stopped");
}

Outcome<int> conversation_compact(const Config& config, const ConversationArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto asked =
      (*connection)->run(workers::compact_conversation((*connection)->caller(), {arguments.key}));
  if (!asked) return tl::unexpected(asked.error());
  print(config.output == OutputFormat::table
            ? "its agent compacts the context of " + asked->shown.key + "\n"
            : workers::to_json(asked->shown) + "\n");
  return kExitOk;
}

Outcome<int> conversation_delete(const Config& config, const ConversationArguments& arguments) {
  return ask(config, arguments, domain::DeleteConversation{}, "deleted");
}

}  // namespace steno
