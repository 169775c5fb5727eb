// `steno conv`: talks to conversations, lists them, and changes their settings.
#include <algorithm>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/queue_directive.hpp"
#include "eventlog/domain/conversation/reset_policy.hpp"
#include "eventlog/domain/conversation/send_policy.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/opening.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::ConversationShown;
using workers::safe_line;

struct NamedKey {
  std::string agent;
  std::string key;
};

// Returns the key in the form in which it is kept; "main" is the agent's main conversation.
Outcome<NamedKey> named_key(const Config& config, const std::string& given) {
  domain::KeySettings settings;
  settings.agent = config.agent;
  if (auto fault = domain::session_key_fault(given)) return fail(kExitUsage, *fault);
  auto key = domain::canonical_key(given, settings);
  if (!key) return fail(kExitUsage, "'" + safe_line(given) + "' is no session key");
  std::string agent = domain::agent_of_key(*key);
  return NamedKey{std::move(agent), std::move(*key)};
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
               {"STATE"},
               {"MESSAGES", Align::right},
               {"LAST", Align::right},
               {"ROUTE", Align::left, 32}});
  for (const ConversationShown& one : all) {
    table.add({one.key, safe_line(domain::field_of(one.entry, "label")), state_text(one),
               std::to_string(one.messages), duration_text(now - one.updated_at),
               safe_line(route_text(one.last_route))});
  }
  return table.text();
}

void print_shown(const ConversationShown& one, base::Time now) {
  print(one.key + "\n");
  print("  state     " + state_text(one) + "\n");
  print("  messages  " + std::to_string(one.messages) + " in " + std::to_string(one.runs) +
        (one.runs == 1 ? " run\n" : " runs\n"));
  print("  session   " + (one.session.is_set() ? one.session.text() : std::string("none yet")) +
        "\n");
  for (const domain::PastSession& past : one.past) {
    print("  before    " + past.session.text() + ", left " + duration_text(now - past.at) +
          " ago (" + std::string(base::enum_name(past.reason)) + ")\n");
  }
  const std::string route = route_text(one.last_route);
  if (!route.empty()) print("  route     " + safe_line(route) + "\n");
  if (!one.parent.empty()) print("  parent    " + safe_line(one.parent) + "\n");
  for (const auto& [name, text] : one.entry) {
    print("  " + name + "  " + safe_line(text) + "\n");
  }
}

Outcome<ConversationShown> find(Connection& connection, const NamedKey& named) {
  workers::QueryBody query;
  query.agent = named.agent;
  query.reference = named.key;
  auto answer = connection.ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->conversations.empty()) return std::move(answer->conversations.front());
  return fail(kExitNotFound, "there is no conversation " + named.key +
                                 "; steno conv ls lists them, and steno conv send begins one");
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
  const auto named = named_key(config, arguments.key);
  if (!named) return tl::unexpected(named.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  request.session_key = named->key;
  const auto reply =
      (*connection)
          ->command_conversation(named->agent, domain::ConversationCommand(std::move(request)));
  if (!reply) return tl::unexpected(reply.error());
  return print_reply(config, *reply, done + " " + named->key);
}

std::string received_text(const workers::ConversationReplyBody& reply, const std::string& text,
                          const std::string& key) {
  if (domain::is_stop_request(text, true)) return "stopped " + key;
  if (domain::reset_remainder({}, text)) return "reset " + key;
  const bool is_setting =
      domain::parse_send_command(text) || (domain::parse_queue_directive(text).is_present &&
                                           domain::parse_queue_directive(text).rest.empty());
  if (is_setting) return "changed " + key;
  if (reply.waiting > 0 && reply.run.is_set()) {
    return key + ": " + std::to_string(reply.waiting) +
           (reply.waiting == 1 ? " message waits" : " messages wait") + " for the agent";
  }
  return key + ": received";
}

}  // namespace

Outcome<int> conversation_send(const Config& config, const ConversationArguments& arguments) {
  const auto named = named_key(config, arguments.key);
  if (!named) return tl::unexpected(named.error());
  auto text = prompt_of(arguments.text);
  if (!text) return tl::unexpected(text.error());
  domain::ReceiveMessage message;
  message.session_key = named->key;
  message.spec = spec_defaults(config).spec;
  message.text = *text;
  message.sender = arguments.sender;
  message.id = arguments.id;
  if (const auto route = domain::parse_route(config.channel)) {
    message.route.channel = route->channel;
    message.route.account = route->account;
    message.route.to = route->target;
    message.route.thread = arguments.thread;
  }
  if (const auto ok = workers::check_workdir(message.spec.workdir); !ok) {
    return fail(ok.error());
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (is_flag(config, "start_within") && config.start_within.count() > 0) {
    message.start_before = (*connection)->clock().wall() + config.start_within;
  }
  const auto reply =
      (*connection)
          ->command_conversation(named->agent, domain::ConversationCommand(std::move(message)));
  if (!reply) return tl::unexpected(reply.error());
  return print_reply(config, *reply, received_text(*reply, *text, named->key));
}

Outcome<int> conversation_list(const Config& config, const ConversationArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  workers::QueryBody query;
  if (!arguments.all_agents) query.agent = config.agent;
  query.limit = arguments.limit;
  const auto answer =
      (*connection)->ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*answer) + "\n");
  } else if (answer->conversations.empty()) {
    remark("there are no conversations; steno conv send main 'hello' begins one");
  } else {
    print(table_text(answer->conversations, (*connection)->clock().wall()));
  }
  return kExitOk;
}

Outcome<int> conversation_show(const Config& config, const ConversationArguments& arguments) {
  const auto named = named_key(config, arguments.key);
  if (!named) return tl::unexpected(named.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto one = find(**connection, *named);
  if (!one) return tl::unexpected(one.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*one) + "\n");
  } else {
    print_shown(*one, (*connection)->clock().wall());
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

Outcome<int> conversation_delete(const Config& config, const ConversationArguments& arguments) {
  return ask(config, arguments, domain::DeleteConversation{}, "deleted");
}

}  // namespace steno
