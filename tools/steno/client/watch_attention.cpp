// `steno watch --attention`: prints the sessions that come to need a person. Each came to need one
// at a position of its own, so a session behind the last one told is news.
#include <unistd.h>

#include "eventlog/domain/stream_name.hpp"
#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_watch.hpp"
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

class AttentionWatch {
 public:
  AttentionWatch(Connection& connection, const WatchArguments& arguments)
      : connection_(connection), arguments_(arguments) {}

  // Prints the sessions that have come to need a person, as the record stands at `known` or later.
  // True: so many as are wanted were printed.
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
        if (is_done()) break;
        print_row(row);
        told_ = std::max(told_, row.attention_at);
        ++count_;
      }
    }
    return is_done();
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

}  // namespace

Outcome<int> watch_attention(const Config& config, const WatchArguments& arguments) {
  if (!arguments.reference.empty()) {
    return fail(kExitUsage, "--attention is about all sessions of an agent, or of all agents");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  AttentionWatch attention(**connection, arguments);
  const std::string level =
      arguments.all_agents ? std::string(bus::kAllLevel) : workers::agent_level(config.agent);
  return watch_sessions(**connection, {level, std::nullopt, true},
                        [&](base::Position known) -> Outcome<Asked> {
                          const auto is_done = attention.tell(known);
                          if (!is_done) return tl::unexpected(is_done.error());
                          return Asked{attention.position(), *is_done};
                        });
}

}  // namespace steno
