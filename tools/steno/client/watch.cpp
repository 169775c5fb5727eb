// `steno watch`: prints the live feed, one event a line, until Ctrl-C or the session's end.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "eventlog/domain/stream_name.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/facts_reader.hpp"
#include "tools/steno/client/log_beginning.hpp"
#include "tools/steno/client/session_follow.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/facts_text.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/copies.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/status.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::columns_of;
using workers::cut_to_columns;
using workers::safe_line;

constexpr std::size_t kAliasesMax = 10'000;  // remembered, then forgotten all at once

// Aliases of the sessions whose events pass by.
class Aliases {
 public:
  explicit Aliases(Connection& connection) : connection_(connection) {}

  std::string of(const domain::RecordedEvent& recorded) {
    const auto stream = domain::parse_stream(recorded.envelope.stream);
    if (!stream || !stream->is<domain::SessionStream>()) return recorded.envelope.stream;
    if (const auto* opened = recorded.event.as<domain::SessionOpened>()) {
      remember(stream->id, opened->alias);
    }
    const auto known = aliases_.find(stream->id);
    return known != aliases_.end() ? known->second : look_up(*stream);
  }

 private:
  std::string look_up(const domain::StreamRef& stream) {
    workers::QueryBody query;
    query.agent = stream.agent;
    query.reference = stream.id.text();
    const auto shown = connection_.ask<workers::ShowAnswer>(workers::kVerbShow, query);
    std::string alias = shown ? shown->session.alias : short_id(stream.id.text());
    remember(stream.id, alias);
    return alias;
  }
  void remember(base::SessionId session, const std::string& alias) {
    if (aliases_.size() >= kAliasesMax) aliases_.clear();
    aliases_.insert_or_assign(session, alias);
  }

  Connection& connection_;
  std::map<base::SessionId, std::string> aliases_;
};

std::string padded(std::string text, std::size_t width, bool is_number = false) {
  const std::size_t columns = columns_of(text);
  if (columns < width) {
    text.insert(is_number ? 0 : text.size(), std::string(width - columns, ' '));
  }
  return text;
}

// True for a tool call that failed.
bool is_failure(const domain::Event& event) {
  const auto* finished = event.as<domain::ToolCallFinished>();
  return finished != nullptr && finished->is_error;
}

// True if the feed left the text out for its length. A shorter one travels with its event, unless
// it was erased.
bool is_long(const workers::SeenEvent& seen) {
  return seen.content_bytes >= static_cast<std::int64_t>(bus::kFeedContentMax) / 2;
}

std::string event_line(const workers::SeenEvent& seen, const std::string& alias) {
  const domain::Envelope& e = seen.recorded.envelope;
  std::string line =
      padded(std::to_string(e.position.value), 7, true) + "  " + short_time_text(e.log_time) +
      "  " + padded(cut_to_columns(safe_line(alias), 24), 14) + "  " +
      padded(safe_line(e.type), 21) + "  " + (is_failure(seen.recorded.event) ? "✗ " : "") +
      facts_text(seen.recorded.event);
  if (seen.recorded.content && !seen.recorded.content->text.empty()) {
    line += " \"" + cut_to_columns(safe_line(seen.recorded.content->text), 60) + "\"";
  } else if (workers::has_file(seen.recorded.event)) {
    line += " (" + std::to_string(seen.content_bytes) + " bytes)";
  } else if (seen.content_bytes > 0) {
    line +=
        " (" + std::to_string(seen.content_bytes) + (is_long(seen) ? " bytes)" : " bytes, erased)");
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

using projections::SessionRow;

// The watched level, and the session if it is a single one.
struct Watched {
  std::string level;
  std::optional<SessionRow> session;
};

Outcome<Watched> choose_level(Connection& connection, const WatchArguments& arguments) {
  if (arguments.all_agents && !arguments.reference.empty()) {
    return fail(kExitUsage, "watch either one session or all agents, not both");
  }
  if (arguments.all_agents) return Watched{std::string(bus::kAllLevel), {}};
  if (arguments.reference.empty()) {
    return Watched{workers::agent_level(connection.config().agent), {}};
  }
  auto shown = connection.find(arguments.reference);
  if (!shown) return tl::unexpected(shown.error());
  SessionRow& row = shown->session;
  return Watched{workers::session_level(row.agent, row.session), std::move(row)};
}

// True if the session has ended and nothing more happens to it by itself.
bool is_over(const SessionRow& row) {
  return domain::is_terminal(row.status) && !row.worker.is_set() && !row.is_erasing;
}

// True for events after which a session can be over.
bool may_end(const bus::FeedEvent& event) {
  const auto seen = workers::see(event);
  if (!seen) return false;
  const domain::Event& e = seen->recorded.event;
  return e.is<domain::SessionClosed>() || e.is<domain::LeaseReleased>() ||
         e.is<domain::LeaseExpired>() || e.is<domain::ContentErasureCompleted>();
}

// Returns the position after which to follow. "start" is the session's first event, or the first
// one that the log holds.
Outcome<base::Position> choose_start(Connection& connection, const std::string& from,
                                     const std::optional<SessionRow>& session) {
  if (from == "start" && session) return session->opened.plus(-1);
  if (from == "start") {
    const auto archive = archived_beginning(connection);
    if (!archive) return tl::unexpected(archive.error());
    if (archive->through.value > 0) remark("steno: " + beginning_text(*archive));
    return archive->through;
  }
  const auto status =
      connection.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  if (!status) return tl::unexpected(status.error());
  if (from == "now") return status->durable;
  std::int64_t position = 0;
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), position);
  if (error != std::errc{} || end != from.data() + from.size() || position < 1) {
    return fail(kExitUsage, "--from takes a position from 1 on, start or now, not '" + from + "'");
  }
  if (position > status->durable.next().value) {
    return fail(kExitNotFound, "there is no position " + from + " yet; the log ends at " +
                                   std::to_string(status->durable.value));
  }
  const auto archive = archived_beginning(connection);
  if (!archive) return tl::unexpected(archive.error());
  if (position <= archive->through.value) return fail(kExitNotFound, beginning_text(*archive));
  return base::Position{position - 1};
}

// The same of a time.
Outcome<base::Position> choose_since(Connection& connection, const std::string& since,
                                     const Watched& watched) {
  const auto time = since_of(since, connection.clock().wall());
  if (!time) return tl::unexpected(time.error());
  const auto archive = archived_beginning(connection);
  if (!archive) return tl::unexpected(archive.error());
  const base::Position opened =
      watched.session ? watched.session->opened.plus(-1) : base::Position{};
  const base::Position low = std::max(archive->through, opened);
  auto start = FactsReader(connection, watched.level).find_time(low, *time);
  if (start && archive->through.value > 0 && *start == archive->through) {
    remark("steno: " + beginning_text(*archive));
  }
  return start;
}

// Adds a text that the feed left out, if output shows texts of that kind. One that cannot be read
// stays left out.
void add_text(Connection& connection, workers::SeenEvent& seen) {
  const auto stream = domain::parse_stream(seen.recorded.envelope.stream);
  if (!is_long(seen) || !stream || !stream->is<domain::SessionStream>()) return;
  if (seen.recorded.event.is<domain::FileAttached>()) return;
  auto text = fetch_content(connection, stream->agent, stream->id, seen.recorded.envelope.position);
  if (!text || text->empty()) return;
  seen.recorded.content = domain::Content{std::move(*text)};
  seen.content_bytes = 0;
}

void print_event(const Config& config, const workers::SeenEvent* seen, const bus::FeedEvent& event,
                 Aliases& aliases) {
  if (config.output != OutputFormat::table) {
    print((seen != nullptr ? workers::event_json(*seen) : workers::raw_event_json(event)) + "\n");
  } else if (seen != nullptr) {
    print(event_line(*seen, aliases.of(seen->recorded)) + "\n");
  } else {
    print(padded(std::to_string(event.position.value), 7, true) +
          "  (of a later release, and not understood)\n");
  }
}

}  // namespace

Outcome<int> watch(const Config& config, const WatchArguments& arguments) {
  if (arguments.is_about_attention) return watch_attention(config, arguments);
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  auto watched = choose_level(**connection, arguments);
  if (!watched) return tl::unexpected(watched.error());
  std::optional<SessionRow>& row = watched->session;
  const auto start = arguments.since.empty()
                         ? choose_start(**connection, arguments.from, row)
                         : choose_since(**connection, arguments.since, *watched);
  if (!start) return tl::unexpected(start.error());
  if (row && is_over(*row) && *start >= row->last_position) {
    remark("session " + row->alias + " has ended; --from start shows what happened");
    return kExitOk;
  }
  auto follower = Follower::open(**connection, watched->level, *start);
  if (!follower) return tl::unexpected(follower.error());
  Aliases aliases(**connection);
  WaitFor wanted;
  wanted.output_fd = STDOUT_FILENO;
  for (std::int64_t count = 0; arguments.count == 0 || count < arguments.count; ++count) {
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake == Wake::interrupted) return kExitInterrupted;
    // The reader of a pipe has gone, as after `steno watch | head`.
    if (*wake == Wake::output_closed) return kExitOk;
    auto seen = workers::see((*follower)->event());
    if (seen && !arguments.leaves_out) add_text(**connection, *seen);
    print_event(config, seen ? &*seen : nullptr, (*follower)->event(), aliases);
    // The reader of a pipe wants each event at once; a failed flush shows that it has gone.
    if (!flush()) return kExitFailed;
    if (!row) continue;
    const bus::FeedEvent& event = (*follower)->event();
    if (may_end(event) && !is_over(*row)) {
      auto shown = (*connection)->find(row->session.text());
      if (shown) row = std::move(shown->session);
    }
    if (is_over(*row) && event.position >= row->last_position) return kExitOk;
  }
  return kExitOk;
}

}  // namespace steno
