// `steno erase`: erases the text of a session, or of single events, and can wait until no file
// holds it.
#include <unistd.h>

#include <utility>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/line_input.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/status.hpp"

namespace steno {
namespace {

using projections::SessionRow;

// Returns the stream version of the event at `position`: users name positions, the command
// versions.
Outcome<base::StreamVersion> version_at(Connection& connection, const SessionRow& row,
                                        base::Position position) {
  bus::ReadRequest request;
  request.level = workers::session_level(row.agent, row.session);
  request.after = position.plus(-1);
  request.events_max = 1;
  const auto page = connection.ask<bus::LogPage>(bus::kReadVerb, request);
  if (!page) return tl::unexpected(page.error());
  if (page->events.empty() || page->events.front().position != position) {
    return fail(kExitNotFound, "position " + std::to_string(position.value) +
                                   " is no event of session " + row.alias +
                                   "; steno watch --from start " + row.alias + " lists them");
  }
  const auto seen = workers::see(page->events.front());
  if (!seen) return fail(seen.error());
  return seen->recorded.envelope.version;
}

Outcome<domain::EraseContent> to_command(Connection& connection, const SessionRow& row,
                                         const std::vector<std::int64_t>& positions) {
  domain::EraseContent command;
  for (const std::int64_t position : positions) {
    const auto version = version_at(connection, row, base::Position{position});
    if (!version) return tl::unexpected(version.error());
    command.events.push_back({*version, *version});
  }
  return command;
}

constexpr base::Duration kFaultInterval = std::chrono::seconds(1);

// Prints why the server cannot complete the erasure, once for each reason.
void tell_fault(Connection& connection, std::string& told) {
  const auto status =
      connection.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  if (!status || status->erasure_fault.empty() || status->erasure_fault == told) return;
  told = status->erasure_fault;
  remark("not done yet: " + told);
}

// Waits until the record says that no file holds the text any more.
Outcome<SessionRow> wait_until_done(Connection& connection, const SessionRow& row,
                                    base::Position after) {
  auto follower = Follower::open(connection, workers::session_level(row.agent, row.session), after);
  if (!follower) return tl::unexpected(follower.error());
  std::string told;
  for (;;) {
    const auto shown = connection.find(row.session.text());
    if (!shown) return tl::unexpected(shown.error());
    if (!shown->session.is_erasing) return shown->session;
    for (bool is_completed = false; !is_completed;) {
      WaitFor wanted;
      wanted.until = connection.clock().boot() + kFaultInterval;
      const auto wake = (*follower)->wait(wanted);
      if (!wake) return tl::unexpected(wake.error());
      if (*wake == Wake::interrupted) {
        return fail(kExitInterrupted, "stopped waiting; the erasure goes on");
      }
      if (*wake == Wake::timer) tell_fault(connection, told);
      if (*wake != Wake::event) continue;
      const auto seen = workers::see((*follower)->event());
      if (!seen) return fail(seen.error());
      is_completed = seen->recorded.event.is<domain::ContentErasureCompleted>();
    }
  }
}

// Asks for confirmation at a terminal, because an erasure cannot be undone.
Outcome<bool> confirm(const SessionRow& row, const EraseArguments& arguments) {
  if (arguments.is_confirmed || !is_stdin_terminal()) return true;
  const std::size_t count = arguments.positions.size();
  remark((count == 0 ? "all that was said in session " + row.alias + " (" + row.name + ")"
                     : std::to_string(count) + " texts of session " + row.alias) +
         " will be gone for good, from backups and archives too; erase? [y/N]");
  LineInput input(STDIN_FILENO);
  std::optional<std::string> line;
  while (!(line = input.take_line()) && !input.is_at_end()) input.fill();
  if (line && (*line == "y" || *line == "Y" || *line == "yes")) return true;
  return fail(kExitInterrupted, "nothing was erased");
}

void print_outcome(const Config& config, const SessionRow& row) {
  if (config.output == OutputFormat::table) {
    const std::string what = row.is_erased ? "all text of " : "text of ";
    print((row.is_erasing ? "erasing " : "erased ") + what + row.alias + "\n");
    const bool is_given = row.made_name.value == 0 && row.name != row.alias;
    remark("its " + (is_given ? "name (" + row.name + "), " : std::string()) +
           "folder, model and tool names are facts, and stay");
    return;
  }
  print(workers::JsonObject()
            .add("session", row.session)
            .add("alias", row.alias)
            .add("erased", row.is_erased)
            .add("erasing", row.is_erasing)
            .add("position", row.last_position)
            .text() +
        "\n");
}

}  // namespace

Outcome<int> erase(const Config& config, const EraseArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  // A conversation has more than its last session.
  const std::string& reference = arguments.reference;
  auto found = (*connection)->run(workers::find_named_session((*connection)->caller(), reference));
  auto shown = (*connection)->named(reference, std::move(found));
  if (!shown) return tl::unexpected(shown.error());
  const SessionRow& row = shown->session;
  const auto command = to_command(**connection, row, arguments.positions);
  if (!command) return tl::unexpected(command.error());
  if (const auto agreed = confirm(row, arguments); !agreed) {
    return tl::unexpected(agreed.error());
  }
  if (arguments.waits) (*connection)->take_interrupts();
  const auto reply =
      (*connection)->command((*connection)->fresh_command_id(), row.session, row.agent, *command);
  if (!reply) return tl::unexpected(reply.error());
  if (arguments.waits) {
    const auto done = wait_until_done(**connection, row, reply->position);
    if (!done) return tl::unexpected(done.error());
    print_outcome(config, *done);
    return kExitOk;
  }
  shown = (*connection)->find(row.session.text());
  if (!shown) return tl::unexpected(shown.error());
  print_outcome(config, shown->session);
  return kExitOk;
}

}  // namespace steno
