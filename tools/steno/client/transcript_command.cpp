// `transcript`: a page of what was said in a session, or in the sessions of a conversation, one
// after the other. Pages are told by positions, which never change.
#include "eventlog/domain/conversation/session_key.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/said_roles.hpp"
#include "tools/steno/client/turn_text.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/item_text.hpp"
#include "workers/operations/transcript_pages.hpp"
#include "workers/text/amounts.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::ItemKind;
using workers::OutputItem;
using workers::TranscriptItem;
using workers::TranscriptPage;
using workers::TranscriptPart;

// Returns the sessions that `reference` names: one, or those of a conversation.
Outcome<std::vector<TranscriptPart>> parts_of(Connection& connection, const Config& config,
                                              const std::string& reference) {
  const bool is_key = reference.starts_with("agent:");
  if (!is_key) {
    const auto found = connection.run(workers::find_named_session(connection.caller(), reference));
    if (found) return std::vector<TranscriptPart>{{found->session.session, found->session.agent}};
    if (found.error().exit_code != kExitNotFound) return tl::unexpected(found.error());
  }
  domain::KeySettings settings;
  settings.agent = config.agent;
  const std::string key = domain::canonical_key(reference, settings).value_or(reference);
  const workers::NamedConversation named{domain::agent_of_key(key), key};
  const auto shown = connection.run(workers::find_conversation(connection.caller(), named));
  if (!shown && shown.error().exit_code == kExitNotFound) {
    return fail(kExitNotFound, "there is no session and no conversation '" + reference +
                                   "'; steno ls and steno conv ls list them");
  }
  if (!shown) return tl::unexpected(shown.error());
  return connection.run(workers::parts_of(connection.caller(), *shown));
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
  workers::TranscriptWanted wanted;
  wanted.roles = *roles;
  wanted.count = arguments.count;
  wanted.before.value = arguments.before;
  wanted.after.value = arguments.after;
  wanted.is_first = arguments.is_first;
  const auto page =
      (*connection)->run(workers::transcript_page((*connection)->caller(), *parts, wanted));
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
