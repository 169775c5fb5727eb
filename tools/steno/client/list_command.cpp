// `ls`: lists sessions.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/list_reading.hpp"
#include "tools/steno/client/list_text.hpp"
#include "tools/steno/client/list_watch.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"

namespace steno {
namespace {

using projections::SessionRow;

// Prints rows as soon as it has them, but for what must be printed in one piece.
class Printer {
 public:
  Printer(Connection& connection, const ListArguments& arguments)
      : connection_(connection),
        arguments_(arguments),
        format_(connection.config().output),
        is_kept_(!arguments.is_quiet && (format_ == OutputFormat::json || arguments.is_tree)) {}

  void add(std::vector<SessionRow> rows) {
    if (rows.empty()) return;
    if (is_kept_) {
      std::move(rows.begin(), rows.end(), std::back_inserter(kept_));
    } else if (arguments_.is_quiet) {
      for (const SessionRow& row : rows) print(row.alias + "\n");
    } else if (format_ == OutputFormat::jsonl) {
      for (const SessionRow& row : rows) print(workers::to_json(row) + "\n");
    } else {
      print_rows(rows, printed_ == 0);
    }
    printed_ += static_cast<std::int64_t>(rows.size());
  }

  // `last`: what the answer says beside its rows.
  void end(workers::ListAnswer last) {
    last.sessions = std::move(kept_);
    if (is_kept_ && format_ == OutputFormat::table && !last.sessions.empty()) {
      print_rows(last.sessions, true);
    } else if (is_kept_ && format_ != OutputFormat::table) {
      print(workers::to_json(last) + "\n");
    }
    if (format_ != OutputFormat::table || arguments_.is_quiet) return;
    if (printed_ == 0) remark("no sessions");
    if (!last.has_more) return;
    remark(std::to_string(printed_) + " of " + std::to_string(last.total) +
           "; more with -n, all with --all");
  }

 private:
  // Only the first ones have titles.
  void print_rows(const std::vector<SessionRow>& rows, bool has_titles) {
    const std::string text = list_text(rows, connection_.clock().wall(), arguments_);
    print(has_titles ? text : text.substr(text.find('\n') + 1));
  }

  Connection& connection_;
  const ListArguments& arguments_;
  const OutputFormat format_;
  const bool is_kept_;
  std::vector<SessionRow> kept_;
  std::int64_t printed_ = 0;
};

// A list that is drawn again and again is for people.
Outcome<bool> check_watched(const Config& config, const ListArguments& arguments) {
  if (arguments.is_quiet || config.output != OutputFormat::table || !can_draw()) {
    return fail(kExitUsage,
                "ls --watch draws on a terminal; steno watch prints events as they come, also into "
                "files and pipes, and as JSON");
  }
  return true;
}

}  // namespace

Outcome<int> list(const Config& config, const ListArguments& arguments) {
  const base::Time now = base::SystemClock().wall();
  const auto filter = SessionFilter::of(arguments, now);
  if (!filter) return tl::unexpected(filter.error());
  if (arguments.is_watched) {
    if (const auto ok = check_watched(config, arguments); !ok) return tl::unexpected(ok.error());
  }
  if (arguments.is_quiet && is_flag(config, "output") && config.output != OutputFormat::table) {
    return fail(kExitUsage, "-q prints aliases alone, and -o rows; say one of them");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (arguments.is_watched) return watch_list(**connection, arguments, *filter);
  Printer printer(**connection, arguments);
  auto last = read_list(**connection, arguments, *filter,
                        [&](std::vector<SessionRow> rows) { printer.add(std::move(rows)); });
  if (!last) return tl::unexpected(last.error());
  printer.end(std::move(*last));
  return kExitOk;
}

}  // namespace steno
