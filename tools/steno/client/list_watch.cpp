// Any event of the agent makes the list stale. Times that run are drawn from what is known.
#include "tools/steno/client/list_watch.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "tools/steno/client/list_reading.hpp"
#include "tools/steno/client/list_text.hpp"
#include "tools/steno/client/own_screen.hpp"
#include "tools/steno/client/screen_signals.hpp"
#include "tools/steno/client/session_watch.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;

constexpr base::Duration kDrawEvery = std::chrono::seconds(1);
// The size of a terminal that does not say it.
constexpr std::size_t kRows = 24;
constexpr std::size_t kColumns = 80;

struct Listed {
  std::vector<SessionRow> rows;
  workers::ListAnswer last;

  bool has_live() const {
    return std::any_of(rows.begin(), rows.end(),
                       [](const SessionRow& row) { return domain::is_live(row.status); });
  }
};

Outcome<Listed> read_all(Connection& connection, const ListArguments& arguments,
                         const SessionFilter& filter) {
  Listed listed;
  auto last = read_list(connection, arguments, filter, [&](std::vector<SessionRow> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(listed.rows));
  });
  if (!last) return tl::unexpected(last.error());
  listed.last = std::move(*last);
  return listed;
}

// Returns the list's lines, as many as the screen has, and below them how many there are.
std::string screen_text(const Listed& listed, base::Time now, const ListArguments& arguments) {
  const std::string text =
      listed.rows.empty() ? "no sessions\n" : list_text(listed.rows, now, arguments);
  const std::vector<std::string_view> lines = workers::lines_of(text);
  const std::size_t rows = stdout_rows() > 0 ? stdout_rows() : kRows;
  const std::size_t room = std::max<std::size_t>(rows, 3) - 2;
  std::string screen;
  for (std::size_t i = 0; i < std::min(lines.size(), room); ++i) {
    screen += std::string(lines[i]) + "\n";
  }
  const bool has_cut = lines.size() > room;
  const std::size_t shown = listed.rows.empty() ? 0 : std::min(lines.size(), room) - 1;
  const auto total =
      std::max<std::int64_t>(listed.last.total, static_cast<std::int64_t>(listed.rows.size()));
  std::string foot = "Ctrl-C ends";
  if (has_cut || listed.last.has_more) {
    foot = std::to_string(shown) + " of " + std::to_string(total) + "; " + foot;
  }
  return screen + workers::cut_to_columns(foot, stdout_columns() > 0 ? stdout_columns() : kColumns);
}

// Takes in another size of the terminal. After Ctrl-Z the screen is left until the process goes on.
void obey(ScreenSignals& signals, OwnScreen& screen) {
  if (!signals.take()) return;
  screen.leave();
  signals.stop();
  screen.take();
}

// Overwrites what is there line by line, so that nothing flickers.
void draw(const std::string& text) {
  std::string screen = "\x1b[H";
  for (const std::string_view line : workers::lines_of(text)) {
    screen += std::string(line) + "\x1b[K";
    if (line.data() + line.size() != text.data() + text.size()) screen += "\r\n";
  }
  print(screen + "\x1b[J");
  flush();
}

}  // namespace

Outcome<int> watch_list(Connection& connection, const ListArguments& arguments,
                        const SessionFilter& filter) {
  connection.take_interrupts();
  auto listed = read_all(connection, arguments, filter);
  if (!listed) return tl::unexpected(listed.error());
  auto follower =
      Follower::open(connection,
                     arguments.all_agents ? std::string(bus::kAllLevel)
                                          : workers::agent_level(connection.config().agent),
                     listed->last.position);
  if (!follower) return tl::unexpected(follower.error());
  OwnScreen screen;
  ScreenSignals signals;
  bool is_stale = false;
  std::string drawn;
  while (true) {
    std::string text = screen_text(*listed, connection.clock().wall(), arguments);
    if (text != drawn) draw(text);
    drawn = std::move(text);
    const base::Duration due = connection.clock().boot() + kDrawEvery;
    do {
      WaitFor wanted;
      wanted.input_fd = signals.fd();
      if (is_stale || listed->has_live()) wanted.until = due;
      const auto wake = (*follower)->wait(wanted);
      if (!wake) return tl::unexpected(wake.error());
      if (*wake == Wake::interrupted) return kExitInterrupted;
      is_stale |= *wake == Wake::event;
      if (*wake != Wake::input) continue;
      obey(signals, screen);
      drawn.clear();
      break;
    } while (connection.clock().boot() < due);
    if (!is_stale || drawn.empty() || (*follower)->is_unanswered()) continue;
    auto read = read_all(connection, arguments, filter);
    if (!read && !is_passing(read.error())) return tl::unexpected(read.error());
    if (!read) continue;
    listed = std::move(read);
    is_stale = false;
    drawn.clear();  // remarks about the server can have been written over it
  }
}

}  // namespace steno
