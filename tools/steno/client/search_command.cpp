// `search`: finds what was said in all sessions.
#include <algorithm>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/said_roles.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::SearchHit;

Outcome<workers::SearchOrder> parse_order(const std::string& name) {
  const auto order = base::parse_enum<workers::SearchOrder>(name);
  if (order) return *order;
  return fail(kExitUsage, "unknown order '" + name + "'; known are best, newest");
}

// Returns the snippet on one line, safe for a terminal, with its words marked.
std::string snippet_text(const SearchHit& hit, bool is_colored) {
  const std::string_view whole = hit.snippet;
  std::string text;
  std::size_t at = 0;
  const auto take = [&](std::int64_t to) {
    const auto end =
        std::clamp(static_cast<std::size_t>(std::max<std::int64_t>(to, 0)), at, whole.size());
    std::string part = workers::safe_line(whole.substr(at, end - at));
    at = end;
    return part;
  };
  for (std::size_t i = 0; i + 1 < hit.marks.size(); i += 2) {
    text += take(hit.marks[i]);
    const std::string word = take(hit.marks[i + 1]);
    text += is_colored ? "\x1b[1m" + word + "\x1b[0m" : "[" + word + "]";
  }
  return text + take(static_cast<std::int64_t>(whole.size()));
}

std::string hit_text(const SearchHit& hit, bool shows_agent, bool is_colored) {
  std::string text = short_time_text(hit.time) + "  ";
  if (shows_agent) text += workers::safe_line(hit.agent) + "  ";
  const std::string alias = hit.alias.empty() ? hit.session.text() : hit.alias;
  text += workers::safe_line(alias);
  if (!hit.name.empty() && hit.name != hit.alias) text += "  " + workers::safe_line(hit.name);
  text += "  " + std::string(base::enum_name(hit.role));
  if (!hit.tool.empty()) text += " " + workers::safe_line(hit.tool);
  text += "  position " + std::to_string(hit.position.value) + "\n";
  return text + "    " + snippet_text(hit, is_colored) + "\n";
}

// Says what the answer does not hold.
void print_remarks(const workers::SearchAnswer& answer) {
  if (answer.indexed < answer.position) {
    remark("the index is behind: it has come to position " + std::to_string(answer.indexed.value) +
           " of " + std::to_string(answer.position.value) +
           ", and what was said since was not searched; ask again in a moment");
  } else if (answer.hits.empty()) {
    remark("nothing found");
  }
  if (answer.is_ranked_in_part) {
    remark("so many texts match that only those said last were ranked; add a word, or --since");
  }
  if (answer.has_more) {
    remark("the first " + std::to_string(answer.hits.size()) + "; more with --limit");
  }
}

}  // namespace

Outcome<int> search(const Config& config, const SearchArguments& arguments) {
  workers::QueryBody query;
  for (const std::string& word : arguments.words) {
    query.words += (query.words.empty() ? "" : " ") + word;
  }
  query.agent = arguments.all_agents ? "" : config.agent;
  query.limit = arguments.count;
  const auto roles = parse_roles(arguments.roles);
  if (!roles) return tl::unexpected(roles.error());
  query.roles = *roles;
  const auto order = parse_order(arguments.sort);
  if (!order) return tl::unexpected(order.error());
  query.order = *order;
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (!arguments.since.empty()) {
    const auto since = since_of(arguments.since, (*connection)->clock().wall());
    if (!since) return tl::unexpected(since.error());
    query.active_since = *since;
  }
  if (!arguments.session.empty()) {
    const auto found = (*connection)->find(arguments.session);
    if (!found) return tl::unexpected(found.error());
    query.agent = found->session.agent;
    query.sessions = {found->session.session};
  }
  const auto answer = (*connection)->ask<workers::SearchAnswer>(workers::kVerbSearch, query);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*answer) + "\n");
    return kExitOk;
  }
  for (const SearchHit& hit : answer->hits) {
    print(config.output == OutputFormat::jsonl ? workers::to_json(hit) + "\n"
                                               : hit_text(hit, arguments.all_agents, has_color()));
  }
  print_remarks(*answer);
  return kExitOk;
}

}  // namespace steno
