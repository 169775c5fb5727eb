// `show`: everything about one session.
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/show_text.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/hooks.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::safe_line;

// Returns the hooks that the session does without, each in words.
std::vector<std::string> hooks_not_asked(Connection& connection, const SessionRow& row) {
  std::vector<std::string> all;
  const auto answer =
      connection.ask<workers::HooksAnswer>(workers::kVerbHooks, workers::QueryBody{});
  if (!answer) return {"not known: " + answer.error().text};
  for (const workers::HookShown& hook : answer->hooks) {
    const auto points = hook.not_asked.find(row.engine);
    const bool is_for = hook.agent.empty() || hook.agent == row.agent;
    if (points == hook.not_asked.end() || !is_for) continue;
    all.push_back(hook.name + ": not asked, engine " + row.engine + " has no " + points->second);
  }
  return all;
}

// Returns the name and the alias of a session of the same agent; its id if it cannot be asked for.
std::string called(Connection& connection, const SessionRow& row, base::SessionId session) {
  if (!session.is_set()) return {};
  workers::QueryBody query;
  query.agent = row.agent;
  query.reference = session.text();
  const auto shown = connection.ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (!shown) return session.text();
  const SessionRow& other = shown->session;
  return other.name == other.alias ? other.alias : safe_line(other.name) + " [" + other.alias + "]";
}

}  // namespace

Outcome<int> show(const Config& config, const ReferenceArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer = (*connection)->find(arguments.reference, true);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*answer) + "\n");
    return kExitOk;
  }
  const SessionRow& row = answer->session;
  const Relatives relatives{called(**connection, row, row.resumed_from),
                            called(**connection, row, row.descriptor.parent)};
  print(show_text(*answer, relatives, hooks_not_asked(**connection, row),
                  (*connection)->clock().wall(), has_color()));
  return kExitOk;
}

}  // namespace steno
