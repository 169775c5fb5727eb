// Rows of live sessions say what is asked; its text is read from the log.
#include "workers/queries/asks.hpp"

#include <algorithm>

#include "eventlog/log/log_reader.hpp"
#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

void add_asks(const projections::SessionRow& row, std::vector<AskShown>& shown) {
  for (const domain::OpenAsk& ask : row.asks) {
    if (ask.verdict != domain::AskVerdict::none || !domain::is_for_people(ask.kind)) continue;
    AskShown one;
    one.session = row.session;
    one.agent = row.agent;
    one.alias = row.alias;
    one.name = row.name;
    one.ask = ask.ask;
    one.kind = ask.kind;
    one.turn = ask.turn;
    one.tool = ask.tool;
    one.position = ask.at;
    one.since = ask.since;
    one.workdir = row.workdir;
    one.rule = ask.rule;
    if (row.approval_timeout.count() > 0) one.until = ask.since + row.approval_timeout;
    one.unanswered = row.unanswered;
    shown.push_back(std::move(one));
  }
}

// Returns the pattern of the rule that has people asked; empty: it cannot be read.
std::string pattern_at(const QuerySources& sources, Position position) {
  if (!sources.whole.holds(position)) return {};
  const auto events = eventlog::read_events(sources.whole, position, position, {1, false});
  if (!events || events->empty()) return {};
  const auto* raised = events->front().event.as<domain::AskRaised>();
  return raised == nullptr ? std::string() : raised->pattern;
}

base::Result<std::vector<projections::SessionRow>> asking_rows(const QuerySources& sources,
                                                               const QueryBody& body) {
  std::vector<projections::SessionRow> rows;
  if (!body.reference.empty()) {
    auto row = resolve(sources, body);
    if (!row) return tl::unexpected(row.error());
    rows.push_back(std::move(*row));
    return rows;
  }
  projections::SessionFilter filter;
  filter.agent = body.agent;
  filter.statuses = {domain::SessionStatus::starting, domain::SessionStatus::running};
  for (bool has_more = true; has_more;) {
    auto page = projections::list_sessions(sources.views, filter);
    if (!page) return tl::unexpected(page.error());
    for (projections::SessionRow& row : page->sessions) {
      if (!domain::is_unanswered(row.asks)) continue;
      complete_row(sources, row);
      rows.push_back(std::move(row));
    }
    filter.before = page->before;
    has_more = page->has_more;
  }
  return rows;
}

base::Result<AsksAnswer> asks(const QuerySources& sources, const QueryBody& body,
                              const Query& query) {
  const auto rows = asking_rows(sources, body);
  if (!rows) return tl::unexpected(rows.error());
  AsksAnswer answer{query.durable, {}};
  for (const projections::SessionRow& row : *rows) add_asks(row, answer.asks);
  std::sort(answer.asks.begin(), answer.asks.end(),
            [](const AskShown& a, const AskShown& b) { return a.position < b.position; });
  std::size_t bytes = 0;
  for (AskShown& one : answer.asks) {
    if (one.rule != 0) one.pattern = pattern_at(sources, one.position);
    // One that cannot be read hides no other.
    auto text = text_at(sources, one.position);
    if (!text) continue;
    bytes += text->size();
    if (text->size() > kAskTextMax || bytes > kAsksTextMax) {
      bytes -= text->size();
      one.left_out = static_cast<std::int64_t>(text->size());
      continue;
    }
    one.text = std::move(*text);
  }
  return answer;
}

}  // namespace

const QueryKind kAsksQuery{kVerbAsks, QueryReads::rows, projections::SessionList::kName,
                           run_query<asks>};

}  // namespace workers
