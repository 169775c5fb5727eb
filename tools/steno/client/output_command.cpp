// `output` and `logs`: what a session's agent said and did.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/output_part.hpp"
#include "tools/steno/client/recent_output.hpp"
#include "tools/steno/client/session_follow.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/client/turn_text.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/item_text.hpp"
#include "workers/operations/output_pages.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/text/ask_text.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::ran_text;
using workers::status_text;

// Which items are wanted.
struct Kinds {
  std::set<workers::ItemKind> kinds;
  bool has_subagents = false;  // what subagents of the agent said and did, of whatever kind

  bool want(const workers::OutputItem& item) const {
    if (kinds.empty() && !has_subagents) return true;
    return kinds.contains(item.kind) || (has_subagents && !item.parent.empty());
  }
};

Outcome<Kinds> parse_kinds(const std::vector<std::string>& names) {
  Kinds wanted;
  for (const std::string& name : names) {
    const auto kind = base::parse_enum<workers::ItemKind>(name);
    if (kind) wanted.kinds.insert(*kind);
    if (name == "subagent") wanted.has_subagents = true;
    if (kind || name == "subagent") continue;
    return fail(kExitUsage, "unknown kind '" + name +
                                "'; known are prompt, said, thought, tool_call, tool_result, "
                                "failure, notice, subagent");
  }
  return wanted;
}

// Gets the text of a prompt that the page left out.
Outcome<workers::OutputItem> whole_item(Connection& connection, const SessionRow& row,
                                        const workers::OutputItem& item) {
  workers::OutputItem whole = item;
  if (item.left_out == 0) return whole;
  const base::Position at = item.text_at.value > 0 ? item.text_at : item.position;
  auto text = fetch_content(connection, row.agent, row.session, at);
  if (!text) return tl::unexpected(text.error());
  whole.text = std::move(*text);
  whole.left_out = 0;
  return whole;
}

void print_framed(const workers::OutputItem& item, const SessionRow& row, workers::ItemText& texts,
                  TurnText& frame) {
  const std::string before = frame.before(item, row);
  if (!before.empty()) print(texts.end() + before);
  const bool is_plain_end =
      item.kind == workers::ItemKind::ended && item.reason == domain::EndReason::none;
  if (!is_plain_end) print(texts.of(item));
  if (const std::string after = frame.after(item); !after.empty()) print(texts.end() + after);
}

// One large text is held at a time, but for the one document of JSON.
Outcome<bool> print_items(Connection& connection, workers::OutputAnswer& answer,
                          workers::ItemText& texts, TurnText* frame = nullptr) {
  const OutputFormat format = connection.config().output;
  for (workers::OutputItem& item : answer.items) {
    auto whole = whole_item(connection, answer.session, item);
    if (!whole) return tl::unexpected(whole.error());
    if (format == OutputFormat::json) {
      item = std::move(*whole);
    } else if (format == OutputFormat::jsonl) {
      print(workers::to_json(*whole) + "\n");
    } else if (frame == nullptr) {
      print(texts.of(*whole));
    } else {
      print_framed(*whole, answer.session, texts, *frame);
    }
  }
  if (format == OutputFormat::json) print(workers::to_json(answer) + "\n");
  return true;
}

void print_heading(const SessionRow& row, base::Time now) {
  remark(row.name + " [" + row.alias + "] " + status_text(row) + " (" + ran_text(row, now) + ")");
  remark(std::string(60, '-'));
}

// The part of a session that is printed, and its form.
struct Printing {
  Kinds kinds;
  std::optional<OutputPart> part;
  std::optional<TurnText> frame;
  bool has_ends = false;  // of turns, as items of their own

  void leave_out(workers::OutputAnswer& page) const {
    std::erase_if(page.items, [&](const workers::OutputItem& item) {
      return !kinds.want(item) || (part && !part->has(item));
    });
    if (part && page.through >= part->through) page.has_more = false;
  }
};

Outcome<bool> choose_printing(Connection& connection, const OutputArguments& arguments,
                              Printing& printing) {
  const bool is_table = connection.config().output == OutputFormat::table;
  const bool is_wanted = arguments.has_turns || (is_table && is_stdout_terminal());
  const bool is_framed = is_wanted && is_table && arguments.kinds.empty() && !arguments.is_followed;
  printing.has_ends = is_table ? is_framed : arguments.has_turns;
  if (!is_framed && !asks_for_part(arguments)) return true;
  const base::Time now = connection.clock().wall();
  base::Time since;
  if (!arguments.since.empty()) {
    const auto given = since_of(arguments.since, now);
    if (!given) return tl::unexpected(given.error());
    since = *given;
  }
  auto turns = connection.named(
      arguments.reference,
      connection.run(workers::session_turns(connection.caller(), arguments.reference)));
  if (!turns) return tl::unexpected(turns.error());
  if (asks_for_part(arguments)) {
    const auto part = choose_part(arguments, since, *turns, arguments.reference);
    if (!part) return tl::unexpected(part.error());
    printing.part = *part;
  }
  if (is_framed) {
    printing.frame.emplace(std::move(*turns),
                           TurnTextOptions{now, is_stdout_terminal(), has_color()});
  }
  return true;
}

Outcome<workers::OutputAnswer> first_page(Connection& connection, const OutputArguments& arguments,
                                          const Printing& printing) {
  const workers::Caller& caller = connection.caller();
  // With a count the last blocks are read, and of these the part is printed.
  if (printing.part && !arguments.is_counted) {
    return connection.run(workers::next_output_page(caller, arguments.reference,
                                                    printing.part->after, printing.has_ends));
  }
  return connection.named(arguments.reference,
                          connection.run(workers::first_output_page(
                              caller, arguments.reference, arguments.is_all ? -1 : arguments.count,
                              printing.has_ends)));
}

}  // namespace

Outcome<int> output(const Config& config, const OutputArguments& arguments) {
  const auto kinds = parse_kinds(arguments.kinds);
  if (!kinds) return tl::unexpected(kinds.error());
  if (arguments.is_followed && !arguments.kinds.empty()) {
    return fail(kExitUsage,
                "--kind chooses among what is there, and --follow shows all that comes; "
                "say one of them");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  Printing printing{*kinds, {}, {}};
  if (const auto ok = choose_printing(**connection, arguments, printing); !ok) {
    return tl::unexpected(ok.error());
  }
  auto answer = first_page(**connection, arguments, printing);
  if (!answer) return tl::unexpected(answer.error());
  const bool is_table = config.output == OutputFormat::table;
  TurnText* frame = printing.frame ? &*printing.frame : nullptr;
  printing.leave_out(*answer);
  if (is_table) print_heading(answer->session, (*connection)->clock().wall());
  if (!answer->archived.empty()) remark("not all of it is in the log: " + answer->archived);
  if (is_table && answer->items.empty() && !answer->has_more && answer->archived.empty()) {
    remark(printing.part ? "(no output in that part)" : "(no output yet)");
  }
  workers::ItemText texts(is_stdout_terminal(), has_color());
  std::vector<workers::OutputItem> earlier;  // for one JSON document, which is printed in one piece
  while (answer->has_more) {
    const base::Position through = answer->through;
    if (config.output == OutputFormat::json) {
      std::move(answer->items.begin(), answer->items.end(), std::back_inserter(earlier));
    } else {
      if (auto ok = print_items(**connection, *answer, texts, frame); !ok) {
        return tl::unexpected(ok.error());
      }
    }
    answer = (*connection)
                 ->run(workers::next_output_page((*connection)->caller(), arguments.reference,
                                                 through, printing.has_ends));
    if (!answer) return tl::unexpected(answer.error());
    printing.leave_out(*answer);
  }
  answer->items.insert(answer->items.begin(), std::make_move_iterator(earlier.begin()),
                       std::make_move_iterator(earlier.end()));
  if (auto ok = print_items(**connection, *answer, texts, frame); !ok) {
    return tl::unexpected(ok.error());
  }
  print(texts.end());
  if (frame != nullptr) print(frame->end(answer->session));
  if (is_table && !arguments.is_followed && domain::is_unanswered(answer->session.asks)) {
    remark("→ " + workers::asks_text(answer->session.asks) + "; steno approvals " +
           answer->session.alias + " shows all of it, and how to answer");
  }
  if (!arguments.is_followed || domain::is_terminal(answer->session.status)) return kExitOk;
  FollowRequest request;
  request.session = answer->session.session;
  request.alias = answer->session.alias;
  request.agent = answer->session.agent;
  request.after = answer->position;
  request.is_onlooker = true;
  return follow_session(**connection, request);
}

Outcome<base::Position> print_recent_output(Connection& connection, const std::string& reference,
                                            std::int64_t blocks) {
  auto answer = connection.named(reference, connection.run(workers::first_output_page(
                                                connection.caller(), reference, blocks)));
  if (!answer) return tl::unexpected(answer.error());
  print_heading(answer->session, connection.clock().wall());
  workers::ItemText texts(is_stdout_terminal(), has_color());
  if (auto ok = print_items(connection, *answer, texts); !ok) return tl::unexpected(ok.error());
  print(texts.end());
  return answer->position;
}

}  // namespace steno
