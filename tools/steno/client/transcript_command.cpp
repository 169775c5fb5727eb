// `transcript`: a page of what was said in a session, or in the sessions of a conversation, one
// after the other. Pages are told by positions, which never change.
#include <algorithm>

#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/said_roles.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/item_text.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/text/amounts.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using base::Position;
using workers::ItemKind;
using workers::OutputItem;

// A session whose part of the transcript is read.
struct Part {
  base::SessionId session;
  std::string agent;
};

struct TranscriptItem {
  base::SessionId session;
  OutputItem item;
};

struct TranscriptPage {
  std::vector<TranscriptItem> items;  // ascending
  Position from;                      // earlier ones are before it
  Position through;                   // later ones are behind it
  bool has_earlier = false;
  bool has_later = false;
};

// Adds the session, and before it those of the conversation that it goes on with.
Outcome<bool> add_chain(Connection& connection, base::SessionId session,
                        const projections::ConversationShown& shown, std::vector<Part>& parts) {
  std::vector<Part> chain;
  const auto is_known = [&](base::SessionId one) {
    const auto is_it = [&](const Part& part) { return part.session == one; };
    return std::any_of(parts.begin(), parts.end(), is_it) ||
           std::any_of(chain.begin(), chain.end(), is_it);
  };
  while (session.is_set() && !is_known(session)) {
    const auto found = connection.find(session.text());
    if (!found) return tl::unexpected(found.error());
    const bool is_its = found->session.descriptor.conversation == shown.key;
    if (!is_its && !chain.empty()) break;
    chain.push_back({session, shown.agent});
    session = found->session.resumed_from;
  }
  parts.insert(parts.end(), chain.rbegin(), chain.rend());
  return true;
}

Outcome<std::vector<Part>> parts_of(Connection& connection, const Config& config,
                                    const std::string& reference) {
  domain::KeySettings settings;
  settings.agent = config.agent;
  const bool is_key = reference.starts_with("agent:");
  if (!is_key) {
    const auto found = connection.find(reference);
    if (found) return std::vector<Part>{{found->session.session, found->session.agent}};
    if (found.error().exit_code != kExitNotFound) return tl::unexpected(found.error());
  }
  const auto key = domain::canonical_key(reference, settings);
  workers::QueryBody query;
  query.reference = key.value_or(reference);
  query.agent = domain::agent_of_key(query.reference);
  const auto answer =
      connection.ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->conversations.empty()) {
    return fail(kExitNotFound, "there is no session and no conversation '" + reference +
                                   "'; steno ls and steno conv ls list them");
  }
  const projections::ConversationShown& shown = answer->conversations.front();
  std::vector<Part> parts;
  for (const domain::PastSession& past : shown.past) {
    if (auto ok = add_chain(connection, past.session, shown, parts); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (auto ok = add_chain(connection, shown.session, shown, parts); !ok) {
    return tl::unexpected(ok.error());
  }
  return parts;
}

class Paging {
 public:
  Paging(Connection& connection, const TranscriptArguments& arguments,
         std::set<workers::SaidBy> roles)
      : connection_(connection), arguments_(arguments), roles_(std::move(roles)) {}

  // The last ones, from the last part backwards.
  Outcome<TranscriptPage> last(const std::vector<Part>& parts) {
    TranscriptPage page;
    page.through = Position{arguments_.before > 0 ? arguments_.before - 1 : 0};
    page.has_later = arguments_.before > 0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      Position before{arguments_.before};
      while (true) {
        if (room(page) == 0) {
          page.has_earlier = true;
          return page;
        }
        auto answer = ask(*part, {}, before, room(page));
        if (!answer) return tl::unexpected(answer.error());
        if (page.through.value == 0) page.through = answer->through;
        page.from = answer->from;
        take(page, *part, std::move(answer->items), page.items.begin());
        if (!answer->has_more) break;
        before = answer->from;
      }
    }
    return page;
  }

  // The first ones behind a position.
  Outcome<TranscriptPage> first(const std::vector<Part>& parts) {
    TranscriptPage page;
    page.from = Position{arguments_.after + 1};
    page.has_earlier = arguments_.after > 0;
    for (const Part& part : parts) {
      Position after{std::max<std::int64_t>(arguments_.after, 1)};
      while (true) {
        if (room(page) == 0) {
          page.has_later = true;
          return page;
        }
        auto answer = ask(part, after, {}, room(page));
        if (!answer) return tl::unexpected(answer.error());
        page.through = answer->through;
        take(page, part, std::move(answer->items), page.items.end());
        if (!answer->has_more) break;
        after = answer->through;
      }
    }
    return page;
  }

 private:
  std::size_t room(const TranscriptPage& page) const {
    const auto count = static_cast<std::size_t>(arguments_.count);
    return count - std::min(count, page.items.size());
  }

  Outcome<workers::OutputAnswer> ask(const Part& part, Position after, Position before,
                                     std::size_t count) {
    workers::QueryBody query;
    query.agent = part.agent;
    query.reference = part.session.text();
    query.is_transcript = true;
    query.roles = roles_;
    query.limit = static_cast<std::int64_t>(count);
    query.after = after;
    query.before = before;
    return connection_.ask<workers::OutputAnswer>(workers::kVerbOutput, query);
  }

  static void take(TranscriptPage& page, const Part& part, std::vector<OutputItem> items,
                   std::vector<TranscriptItem>::iterator at) {
    std::vector<TranscriptItem> taken;
    taken.reserve(items.size());
    for (OutputItem& item : items) taken.push_back({part.session, std::move(item)});
    page.items.insert(at, std::make_move_iterator(taken.begin()),
                      std::make_move_iterator(taken.end()));
  }

  Connection& connection_;
  const TranscriptArguments& arguments_;
  const std::set<workers::SaidBy> roles_;
};

std::string use_text(const OutputItem& item) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
  };
  add(item.usage.input_tokens, "in");
  add(item.usage.output_tokens, "out");
  add(item.usage.cache_read_tokens, "cached");
  add(item.usage.cache_creation_tokens, "cached anew");
  if (!text.empty()) text += " tokens";
  if (item.cost.value > 0) text += (text.empty() ? "$" : ", $") + base::usd_text(item.cost);
  return text;
}

void print_items(const std::vector<TranscriptItem>& items) {
  workers::ItemText text(is_stdout_terminal(), has_color());
  base::SessionId session;
  for (const TranscriptItem& one : items) {
    if (one.session != session) {
      print(text.end() + "── session " + one.session.text() + ", " +
            workers::short_time_text(one.item.time) + "\n");
      session = one.session;
    }
    const bool is_plain_end =
        one.item.kind == ItemKind::ended && one.item.reason == domain::EndReason::none;
    if (!is_plain_end) print(text.of(one.item));
    if (const std::string use = use_text(one.item); !use.empty()) {
      print(text.end() + "  (" + use + ")\n");
    }
  }
  print(text.end());
}

std::string item_json(const TranscriptItem& one) {
  std::string json = workers::to_json(one.item);
  return "{\"session\":\"" + one.session.text() + "\"," + json.substr(1);
}

std::string page_json(const TranscriptPage& page, const std::string& items) {
  return "{\"from\":" + std::to_string(page.from.value) +
         ",\"through\":" + std::to_string(page.through.value) +
         ",\"has_earlier\":" + (page.has_earlier ? "true" : "false") +
         ",\"has_later\":" + (page.has_later ? "true" : "false") + items + "}";
}

}  // namespace

Outcome<int> transcript(const Config& config, const TranscriptArguments& arguments) {
  const auto roles = parse_roles(arguments.roles);
  if (!roles) return tl::unexpected(roles.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto parts = parts_of(**connection, config, arguments.reference);
  if (!parts) return tl::unexpected(parts.error());
  Paging paging(**connection, arguments, *roles);
  const bool is_forward = arguments.is_first || arguments.after > 0;
  const auto page = is_forward ? paging.first(*parts) : paging.last(*parts);
  if (!page) return tl::unexpected(page.error());
  if (config.output == OutputFormat::table) {
    print_items(page->items);
    if (page->has_earlier) remark("earlier: --before " + std::to_string(page->from.value));
    if (page->has_later) remark("later: --after " + std::to_string(page->through.value));
    return kExitOk;
  }
  std::string all;
  for (const TranscriptItem& one : page->items) {
    if (config.output == OutputFormat::jsonl) {
      print(item_json(one) + "\n");
    } else {
      all += (all.empty() ? "" : ",") + item_json(one);
    }
  }
  if (config.output == OutputFormat::json) {
    print(page_json(*page, ",\"items\":[" + all + "]") + "\n");
  } else {
    print(page_json(*page, "") + "\n");
  }
  return kExitOk;
}

}  // namespace steno
