// `sessions`, `kill`, `foreground` and `background`: find sessions, end them, and watch them from a
// channel.
#include <algorithm>
#include <utility>

#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"

namespace workers {
namespace {

using projections::SessionRow;

std::set<domain::SessionStatus> statuses_of(StatusFilter filter) {
  if (filter == StatusFilter::all) return {};
  return {*base::parse_enum<domain::SessionStatus>(base::enum_name(filter))};
}

Outcome<std::string> channel_said(const Caller& caller, const std::string& said) {
  const std::string& channel = !said.empty()             ? said
                               : !caller.channel.empty() ? caller.channel
                                                         : caller.defaults.channel;
  if (channel.empty()) {
    return refuse(OperationError::usage, "channel is missing: name a place such as telegram|1234");
  }
  if (const auto ok = check_channel(channel); !ok) return tl::unexpected(ok.error());
  return channel;
}

// Begins or ends to send the session's output to the channel.
Task<Outcome<CommandReplyBody>> set_watched(const Caller& caller, const SessionRow& row,
                                            const std::string& channel, bool is_foreground) {
  const domain::Command set = domain::SetForeground{channel, is_foreground};
  return send_command(caller, command_id(caller), row.session, row.agent, set);
}

}  // namespace

Task<Outcome<SessionPage>> list_sessions(const Caller& caller, const SessionsArguments& arguments) {
  QueryBody query;
  query.agent = caller.agent;
  query.statuses = statuses_of(arguments.status);
  query.limit = arguments.limit;
  query.before = {arguments.before};
  return list_page(caller, std::move(query));
}

Task<Outcome<KilledSession>> kill_one(const Caller& caller, const KillOneArguments& arguments) {
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  auto killed = co_await kill_session(caller, shown->session);
  if (!killed) co_return tl::unexpected(killed.error());
  co_return KilledSession{std::move(shown->session), std::move(*killed)};
}

Task<Outcome<InForeground>> to_foreground(const Caller& caller, const WatchedArguments& arguments) {
  const auto channel = channel_said(caller, arguments.channel);
  if (!channel) co_return tl::unexpected(channel.error());
  const auto unheard = co_await unheard_text(caller, *channel);
  if (!unheard) co_return tl::unexpected(unheard.error());
  if (!unheard->empty()) co_return refuse(OperationError::conflict, *unheard);
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  const auto set = co_await set_watched(caller, shown->session, *channel, true);
  if (!set) co_return tl::unexpected(set.error());
  InForeground watched;
  watched.row = std::move(shown->session);
  watched.channel = *channel;
  if (arguments.lines == 0) co_return watched;
  ShownArguments last;
  last.session = watched.row.session.text();
  last.lines = arguments.lines;
  auto output = co_await show_output(caller, last);
  if (!output) co_return tl::unexpected(output.error());
  watched.output = std::move(*output);
  co_return watched;
}

Task<Outcome<InBackground>> to_background(const Caller& caller, const WatchedArguments& arguments) {
  const auto channel = channel_said(caller, arguments.channel);
  if (!channel) co_return tl::unexpected(channel.error());
  const bool is_one = !arguments.session.empty();
  std::vector<SessionRow> moved;
  if (is_one) {
    auto shown = co_await find_session(caller, arguments.session);
    if (!shown) co_return tl::unexpected(shown.error());
    moved.push_back(std::move(shown->session));
  } else {
    auto live = co_await list_live(caller, caller.agent);
    if (!live) co_return tl::unexpected(live.error());
    std::erase_if(*live, [&](const SessionRow& row) {
      return std::find(row.foreground.begin(), row.foreground.end(), *channel) ==
             row.foreground.end();
    });
    moved = std::move(*live);
  }
  InBackground unwatched;
  unwatched.channel = *channel;
  for (SessionRow& row : moved) {
    const auto set = co_await set_watched(caller, row, *channel, false);
    // One of several can have ended meanwhile, and then shows nothing any more.
    if (!set && is_one) co_return tl::unexpected(set.error());
    if (set) unwatched.rows.push_back(std::move(row));
  }
  co_return unwatched;
}

}  // namespace workers
