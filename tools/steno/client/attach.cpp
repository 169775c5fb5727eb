// `steno attach`: a session as it is, and a line to type into while it works.
#include <utility>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/line_editor.hpp"
#include "tools/steno/client/own_screen.hpp"
#include "tools/steno/client/recent_output.hpp"
#include "tools/steno/client/session_follow.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/operations/finding.hpp"

namespace steno {
namespace {

// So many blocks of what the agent said are shown first.
constexpr std::int64_t kBlocksShown = 20;

// Returns the session that is meant where none is named. Of several a person must choose.
Outcome<std::string> only_live(Connection& connection) {
  const std::string& agent = connection.config().agent;
  const auto live = connection.run(workers::list_live(connection.caller(), agent));
  if (!live) return tl::unexpected(live.error());
  if (live->size() == 1) return live->front().session.text();
  if (live->empty()) {
    return fail(kExitNotFound, "no session of agent " + agent + " lives; steno run begins one");
  }
  return fail(kExitUsage, std::to_string(live->size()) +
                              " sessions live, and steno ls --status live lists them; say which "
                              "one: steno attach REF");
}

}  // namespace

Outcome<int> attach(const Config& config, const ReferenceArguments& arguments) {
  std::string reference = arguments.reference.empty() ? "REF" : arguments.reference;
  if (config.output != OutputFormat::table || !is_stdin_terminal() || !is_stdout_terminal()) {
    return fail(kExitUsage, "steno attach needs a terminal, and prints for people; steno output " +
                                reference + " --follow and steno send " + reference +
                                " do without");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (arguments.reference.empty()) {
    auto only = only_live(**connection);
    if (!only) return tl::unexpected(only.error());
    reference = std::move(*only);
  }
  const auto shown = (*connection)->find(reference);
  if (!shown) return tl::unexpected(shown.error());
  const projections::SessionRow& row = shown->session;
  if (domain::is_terminal(row.status)) {
    return fail(kExitConflict, "session " + row.alias + " has ended; steno output " + row.alias +
                                   " shows it, and steno resume " + row.alias + " goes on with it");
  }
  (*connection)->take_interrupts();
  OwnScreen screen;
  LineEditor editor;
  const auto after = print_recent_output(**connection, row.session.text(), kBlocksShown);
  if (!after) return tl::unexpected(after.error());
  FollowRequest request;
  request.session = row.session;
  request.alias = row.alias;
  request.agent = row.agent;
  request.after = *after;
  request.turn = row.turn;
  request.input = &editor;
  request.editor = &editor;
  request.screen = &screen;
  return follow_session(**connection, request);
}

}  // namespace steno
