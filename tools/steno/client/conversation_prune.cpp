// `steno conv prune`: deletes conversations that nobody has used for long.
#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::ConversationShown;

// Main conversations are never deleted, and those with work are in use.
bool is_unused(const ConversationShown& one) {
  const bool is_main = domain::parse_key_parts(one.key).kind == domain::KeyKind::main;
  return !is_main && !one.run.is_set() && one.waiting == 0;
}

struct Pruned {
  std::int64_t deleted = 0;
  std::int64_t kept = 0;  // they have changed meanwhile
  std::int64_t failed = 0;
};

// Returns true if it is deleted. Tells a failure, which leaves the others alone.
bool prune_one(Connection& connection, const ConversationShown& one, base::Time since,
               Pruned& pruned) {
  domain::DeleteConversation command;
  command.session_key = one.key;
  command.unchanged_since = since;
  const auto reply =
      connection.command_conversation(one.agent, domain::ConversationCommand(command));
  if (reply) {
    ++pruned.deleted;
  } else if (reply.error().exit_code == kExitConflict) {
    ++pruned.kept;
  } else {
    ++pruned.failed;
    complain(reply.error().exit_code, one.key + ": " + reply.error().text);
  }
  return reply.has_value();
}

}  // namespace

Outcome<int> conversation_prune(const Config& config, const ConversationArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (!(*connection)->caller().self.empty()) {
    return fail(kExitRefused, "the agent of a session deletes no conversations; a person does");
  }
  const base::Time now = (*connection)->clock().wall();
  const auto since = since_of(arguments.since, now);
  if (!since) return tl::unexpected(since.error());
  workers::QueryBody query;
  if (!arguments.all_agents) query.agent = config.agent;
  workers::ConversationFilter filter;
  for (const std::string& kind : arguments.kinds) {
    if (const auto known = base::parse_enum<domain::ToolKind>(kind)) filter.kinds.insert(*known);
  }
  filter.label = arguments.label;
  filter.words = arguments.words;
  filter.before = *since;
  Pruned pruned;
  for (bool has_more = true; has_more;) {
    query.filter = filter;
    const auto page =
        (*connection)->ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
    if (!page) return tl::unexpected(page.error());
    for (const ConversationShown& one : page->conversations) {
      filter.before = one.updated_at;
      filter.before_key = one.key;
      if (!is_unused(one)) continue;
      if (arguments.is_tried) {
        ++pruned.deleted;
      } else if (!prune_one(**connection, one, *since, pruned)) {
        continue;
      }
      print(config.output == OutputFormat::table ? workers::safe_line(one.key) + ", unused for " +
                                                       duration_text(now - one.updated_at) + "\n"
                                                 : workers::to_json(one) + "\n");
    }
    has_more = page->has_more;
  }
  const int code = pruned.failed == 0 ? kExitOk : kExitFailed;
  if (config.output != OutputFormat::table) return code;
  const std::string done = arguments.is_tried ? "would be deleted" : "deleted";
  remark(
      std::to_string(pruned.deleted) + " " + done +
      (pruned.kept == 0 ? "" : "; " + std::to_string(pruned.kept) + " kept, as they have changed") +
      (arguments.is_tried ? "" : "; their sessions stay on the record"));
  return code;
}

}  // namespace steno
