// `sessions`, `kill`, `foreground` and `background`: find sessions, end them, and watch them from a
// channel.
#include <algorithm>

#include "eventlog/domain/outbox/route.hpp"
#include "tools/steno/operations/ending.hpp"
#include "tools/steno/operations/first_prompt.hpp"
#include "tools/steno/operations/handlers.hpp"
#include "tools/steno/operations/opening.hpp"
#include "tools/steno/operations/session_json.hpp"
#include "tools/steno/operations/text_rows.hpp"

namespace steno {
namespace {

using projections::SessionRow;

std::set<domain::SessionStatus> statuses_of(StatusFilter filter) {
  if (filter == StatusFilter::all) return {};
  return {*base::parse_enum<domain::SessionStatus>(base::enum_name(filter))};
}

Outcome<std::string> channel_said(const Caller& caller, const std::string& said) {
  const std::string& channel = !said.empty()             ? said
                               : !caller.channel.empty() ? caller.channel
                                                         : caller.connection.config().channel;
  if (channel.empty()) {
    return fail(kExitUsage, "channel is missing: name a place such as telegram|1234");
  }
  if (const auto ok = check_channel(channel); !ok) return tl::unexpected(ok.error());
  return channel;
}

// Begins or ends to send the session's output to the channel.
Outcome<bool> set_watched(Connection& connection, const SessionRow& row, const std::string& channel,
                          bool is_foreground) {
  const auto reply = connection.command(connection.fresh_command_id(), row.session, row.agent,
                                        domain::SetForeground{channel, is_foreground});
  if (!reply) return tl::unexpected(reply.error());
  return true;
}

}  // namespace

Outcome<bool> check_channel(const std::string& channel) {
  if (domain::parse_route(channel)) return true;
  return fail(kExitUsage, "'" + shown(channel) + "' is no channel; accepted is channel|target or " +
                              "channel|account|target, as in telegram|1234");
}

Outcome<Answer> list_sessions(const Caller& caller, const SessionsArguments& arguments) {
  Connection& connection = caller.connection;
  workers::QueryBody query;
  query.agent = connection.config().agent;
  query.statuses = statuses_of(arguments.status);
  query.limit = arguments.limit;
  query.before = {arguments.before};
  const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
  if (!page) return tl::unexpected(page.error());
  const base::Time now = connection.clock().wall();
  base::Position last_shown;
  TextRows rows(caller);
  Answer answer;
  answer.is_text_only = true;
  answer.value["sessions"] = Json::array();
  for (const SessionRow& row : page->sessions) {
    const auto prompt = first_prompt(connection, row.agent, row.session);
    if (!prompt) return tl::unexpected(prompt.error());
    answer.value["sessions"].push_back(session_json(row, *prompt, now));
    if (rows.add(session_lines(row, *prompt, now))) last_shown = row.opened;
  }
  answer.text = rows.text();
  answer.value["count"] = answer.value["sessions"].size();
  answer.value["total"] = page->total;
  if (page->has_more) answer.value["before"] = page->before.value;
  const bool shows_all = rows.count() == page->sessions.size();
  if (page->has_more || !shows_all) {
    const base::Position before = shows_all ? page->before : last_shown;
    answer.text += "\n\n" + std::to_string(rows.count()) + " of " + std::to_string(page->total);
    answer.text += caller.is_chat ? ", the newest; fewer with a status: /claude_sessions running"
                                  : "; the next ones with before: " + std::to_string(before.value);
  }
  if (page->sessions.empty()) answer.text = "No sessions found.";
  return answer;
}

Outcome<Answer> kill_one(const Caller& caller, const KillOneArguments& arguments) {
  const auto shown = caller.connection.find(arguments.session);
  if (!shown) return tl::unexpected(shown.error());
  const SessionRow& row = shown->session;
  const auto killed = kill_session(caller.connection, row);
  if (!killed) return tl::unexpected(killed.error());
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["status"] = base::enum_name(killed->reply.status);
  answer.text = row.name + " [" + row.alias + "] is " + killed->line + ".";
  answer.value["message"] = answer.text;
  return answer;
}

Outcome<Answer> to_foreground(const Caller& caller, const WatchedArguments& arguments) {
  const auto channel = channel_said(caller, arguments.channel);
  if (!channel) return tl::unexpected(channel.error());
  const auto unheard = unheard_text(caller.connection, *channel);
  if (!unheard) return tl::unexpected(unheard.error());
  if (!unheard->empty()) return fail(kExitConflict, *unheard);
  const auto shown = caller.connection.find(arguments.session);
  if (!shown) return tl::unexpected(shown.error());
  const SessionRow& row = shown->session;
  const auto set = set_watched(caller.connection, row, *channel, true);
  if (!set) return tl::unexpected(set.error());
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["channel"] = *channel;
  answer.text = row.name + " [" + row.alias + "] is in the foreground of " + *channel +
                ". What the channel has not seen comes first" +
                (domain::is_terminal(row.status) ? "; it has ended, and nothing follows."
                                                 : ", then what follows as it comes.");
  if (arguments.lines == 0) return answer;
  const auto output = show_output(caller, {row.session.text(), arguments.lines, false});
  if (!output) return tl::unexpected(output.error());
  answer.value["lines"] = output->value["lines"];
  answer.text += "\n" + output->text;
  return answer;
}

Outcome<Answer> to_background(const Caller& caller, const WatchedArguments& arguments) {
  const auto channel = channel_said(caller, arguments.channel);
  if (!channel) return tl::unexpected(channel.error());
  std::vector<SessionRow> moved;
  if (arguments.session.empty()) {
    auto live = list_live(caller.connection);
    if (!live) return tl::unexpected(live.error());
    std::erase_if(*live, [&](const SessionRow& row) {
      return std::find(row.foreground.begin(), row.foreground.end(), *channel) ==
             row.foreground.end();
    });
    moved = std::move(*live);
  } else {
    auto shown = caller.connection.find(arguments.session);
    if (!shown) return tl::unexpected(shown.error());
    moved.push_back(std::move(shown->session));
  }
  Answer answer;
  answer.value["channel"] = *channel;
  answer.value["sessions"] = Json::array();
  for (const SessionRow& row : moved) {
    const auto set = set_watched(caller.connection, row, *channel, false);
    // One of several can have ended meanwhile, and then shows nothing any more.
    if (!set && !arguments.session.empty()) return tl::unexpected(set.error());
    if (!set) continue;
    answer.value["sessions"].push_back(session_brief_json(row));
    answer.text += (answer.text.empty() ? "" : "\n") + row.name + " [" + row.alias +
                   "] is in the background of " + *channel + ".";
  }
  if (answer.text.empty()) answer.text = "No session is currently in foreground.";
  return answer;
}

}  // namespace steno
