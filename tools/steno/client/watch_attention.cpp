// `steno watch --attention`: the feed tells when to ask anew for the sessions that need a person.
// Each came to need one at a position of its own, so a session behind the last one told is news.
#include <unistd.h>

#include "eventlog/domain/stream_name.hpp"
#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::safe_line;

constexpr base::Duration kAskAgain = std::chrono::seconds(1);  // after a server that did not answer

// The events by which a session can come to need a person.
using Needing =
    base::Types<domain::TurnFinished, domain::TurnFailed, domain::TurnInterrupted,
                domain::QueuePaused, domain::TasksChanged, domain::AgentSilenceReported,
                domain::ToolCallsRepeated, domain::SpendingRecorded, domain::LeaseReleased,
                domain::LeaseExpired, domain::SessionClosed, domain::AskRaised>;

bool may_need(const bus::FeedEvent& event) {
  const auto seen = workers::see(event);
  if (!seen) return true;  // of a later release
  return domain::is_one_of<Needing>(seen->recorded.event);
}

class AttentionWatch {
 public:
  AttentionWatch(Connection& connection, const WatchArguments& arguments)
      : connection_(connection), arguments_(arguments) {}

  // Prints the sessions that have come to need a person, as the record stands at `known` or later.
  Outcome<bool> tell(base::Position known) {
    workers::QueryBody query;
    query.agent = arguments_.all_agents ? "" : connection_.config().agent;
    query.at_least = known;
    query.after = told_;
    for (bool has_more = true; has_more && !is_done();) {
      const auto page = connection_.ask<workers::AttentionAnswer>(workers::kVerbAttention, query);
      if (!page) return tl::unexpected(page.error());
      position_ = page->position;
      has_more = page->has_more;
      query.after = page->after;
      for (const SessionRow& row : page->sessions) {
        if (is_done()) return true;
        print_row(row);
        told_ = std::max(told_, row.attention_at);
        ++count_;
      }
    }
    return true;
  }

  bool is_done() const { return arguments_.count > 0 && count_ >= arguments_.count; }
  base::Position position() const { return position_; }

 private:
  void print_row(const SessionRow& row) {
    if (connection_.config().output != OutputFormat::table) {
      return print(workers::to_json(row) + "\n");
    }
    std::string line = short_time_text(row.attention_since) + "  ";
    if (arguments_.all_agents) line += row.agent + "  ";
    line += row.alias + "  " + safe_line(row.name) + "  " + attention_text(row) + "  →  " +
            attention_command(row, connection_.config().agent);
    print(line + (is_stdout_terminal() ? "\a\n" : "\n"));
  }

  Connection& connection_;
  const WatchArguments& arguments_;
  base::Position told_;
  base::Position position_;  // of the last answer
  std::int64_t count_ = 0;
};

// True if asking again later can help.
bool is_passing(const Failure& failure) {
  return failure.exit_code == kExitUnreachable || failure.exit_code == kExitTimeout ||
         failure.exit_code == kExitBusy;
}

}  // namespace

Outcome<int> watch_attention(const Config& config, const WatchArguments& arguments) {
  if (!arguments.reference.empty()) {
    return fail(kExitUsage, "--attention is about all sessions of an agent, or of all agents");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  AttentionWatch attention(**connection, arguments);
  if (auto told = attention.tell({}); !told) return tl::unexpected(told.error());
  if (!flush()) return kExitFailed;
  auto follower = Follower::open(
      **connection,
      arguments.all_agents ? std::string(bus::kAllLevel) : workers::agent_level(config.agent),
      attention.position());
  if (!follower) return tl::unexpected(follower.error());
  std::optional<base::Position> due;  // of an event that was not asked about yet
  while (!attention.is_done()) {
    WaitFor wanted;
    wanted.output_fd = STDOUT_FILENO;
    if (due) wanted.until = (*connection)->clock().boot() + kAskAgain;
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake == Wake::interrupted) return kExitInterrupted;
    if (*wake == Wake::output_closed) return kExitOk;
    if (*wake == Wake::event && may_need((*follower)->event())) due = (*follower)->event().position;
    if (!due || (*follower)->is_unanswered()) continue;
    if (const auto told = attention.tell(*due); told) {
      due.reset();
    } else if (!is_passing(told.error())) {
      return tl::unexpected(told.error());
    }
    if (!flush()) return kExitFailed;
  }
  return kExitOk;
}

}  // namespace steno
