// Asks no more than can have changed: nothing behind the first page while the record has not grown,
// and the last lines of sessions that have news.
#include "tools/steno/top/top_asking.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "eventlog/domain/session/cost_text.hpp"
#include "tools/steno/client/session_acts.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/asking.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/item_text.hpp"
#include "workers/operations/opening.hpp"
#include "workers/operations/output_pages.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

using projections::SessionRow;
using workers::Caller;
using workers::OutputAnswer;
using workers::QueryBody;

namespace {

// A line that is being said comes in pieces, one a second.
constexpr std::int64_t kLastItems = 6;
// Blocks of the agent's words that its output begins with, as attach has it.
constexpr std::int64_t kBlocksShown = 20;

const SessionRow* find_row(const std::vector<SessionRow>& rows, base::SessionId session) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const SessionRow& row) { return row.session == session; });
  return found == rows.end() ? nullptr : &*found;
}

// True if an open request is not known yet.
bool has_new_ask(const TopFacts& facts) {
  return std::any_of(facts.sessions.begin(), facts.sessions.end(), [&](const SessionRow& row) {
    const domain::OpenAsk* ask = first_ask(row);
    const auto known = facts.asks.find(row.session);
    return ask != nullptr && (known == facts.asks.end() || known->second.ask != ask->ask);
  });
}

void note_asks(const std::vector<workers::AskShown>& asks, TopFacts& facts) {
  facts.asks.clear();
  for (const workers::AskShown& ask : asks) {  // the oldest first
    const std::string line = workers::ask_line(ask.kind, ask.tool, workers::read_ask(ask.text));
    facts.asks.try_emplace(ask.session, KnownAsk{ask.ask, line});
  }
}

void note_cost(const projections::MetricsReport& report, base::Time now, TopFacts& facts) {
  const std::string today = projections::utc_date(now);
  const auto cost = report.cost_per_day.find(today);
  const auto basis = report.basis_per_day.find(today);
  if (cost == report.cost_per_day.end()) return facts.cost_today.clear();
  facts.cost_today = domain::cost_text(cost->second, basis == report.basis_per_day.end()
                                                         ? domain::CostBasis::totals
                                                         : basis->second);
}

TextPage page_of(const OutputAnswer& answer, base::Time now) {
  TextPage page;
  page.title =
      workers::session_title(answer.session, now) + " " + workers::status_text(answer.session);
  page.session = answer.session.session;
  page.at = answer.session.last_position;
  workers::ItemText texts(true, false);
  if (!answer.archived.empty()) {
    page.text = "not all of it is in the log: " + workers::safe_line(answer.archived) + "\n";
  }
  for (const workers::OutputItem& item : answer.items) page.text += texts.of(item);
  page.text += texts.end();
  if (page.text.empty()) page.text = "(no output yet)\n";
  return page;
}

// Returns the rows of the sessions that live; `position` is set to that of the answer.
Asking<std::vector<SessionRow>> ask_live(const Caller& caller, const std::string& agent,
                                         base::Position& position) {
  QueryBody query;
  query.agent = agent;
  query.limit = 1;
  auto first = co_await caller.server.ask<workers::ListAnswer>(workers::kVerbList, query);
  if (!first) co_return tl::unexpected(first.error());
  if (first->position == position) co_return std::vector<SessionRow>{};
  position = first->position;
  auto live = co_await workers::list_live(caller, agent);
  co_return live;
}

Asking<OutputAnswer> ask_last(const Caller& caller, const std::string& agent,
                              base::SessionId session) {
  QueryBody query;
  query.agent = agent;
  query.reference = session.text();
  query.is_transcript = true;
  query.limit = kLastItems;
  auto answer = co_await caller.server.ask<OutputAnswer>(workers::kVerbOutput, query);
  co_return answer;
}

// Takes in the last lines of sessions that have news. One that cannot be read has none.
Asking<bool> add_lines(const Caller& caller, const std::vector<base::SessionId>& shown,
                       TopFacts& facts) {
  std::vector<Asking<OutputAnswer>> asked;
  for (const base::SessionId& session : shown) {
    const SessionRow* row = find_row(facts.sessions, session);
    if (row == nullptr || facts.lines[session].at == row->last_position) continue;
    facts.lines[session].at = row->last_position;
    asked.push_back(ask_last(caller, row->agent, session));
  }
  auto together = workers::all_of(std::move(asked));
  const auto answers = co_await std::move(together);
  for (const auto& answer : answers) {
    if (!answer) continue;
    facts.lines[answer->session.session].text = last_line(answer->items);
  }
  std::erase_if(facts.lines, [&](const auto& known) {
    return find_row(facts.sessions, known.first) == nullptr;
  });
  co_return true;
}

Asking<OutputAnswer> ask_output(const Caller& caller, const std::string& agent,
                                base::SessionId session) {
  Caller of_agent = caller;
  of_agent.agent = agent;
  const std::string reference = session.text();
  auto answer = co_await workers::first_output_page(of_agent, reference, kBlocksShown);
  co_return answer;
}

}  // namespace

Asking<TopAnswer> ask_all(const Caller& caller, TopWanted wanted) {
  TopAnswer answer;
  TopFacts& facts = answer.facts;
  facts = std::move(wanted.known);
  const base::Position before = facts.position;
  auto live = co_await ask_live(caller, wanted.agent, facts.position);
  if (!live) co_return tl::unexpected(live.error());
  if (facts.position != before) {
    auto needing = co_await workers::list_needing(caller, wanted.agent);
    if (!needing) co_return tl::unexpected(needing.error());
    QueryBody query;
    query.agent = wanted.agent;
    const auto report =
        co_await caller.server.ask<projections::MetricsReport>(workers::kVerbStats, query);
    if (!report) co_return tl::unexpected(report.error());
    facts.sessions = std::move(*live);
    for (SessionRow& row : needing->sessions) {
      if (find_row(facts.sessions, row.session) == nullptr)
        facts.sessions.push_back(std::move(row));
    }
    note_cost(*report, caller.server.clock().wall(), facts);
    if (has_new_ask(facts)) {
      const auto asks = co_await caller.server.ask<workers::AsksAnswer>(workers::kVerbAsks, query);
      if (!asks) co_return tl::unexpected(asks.error());
      note_asks(asks->asks, facts);
    }
  }
  const auto lines = co_await add_lines(caller, wanted.shown, facts);
  if (!lines) co_return tl::unexpected(lines.error());
  const SessionRow* row = find_row(facts.sessions, wanted.output);
  if (row != nullptr && row->last_position != wanted.output_at) {
    const std::string agent = row->agent;
    const auto output = co_await ask_output(caller, agent, wanted.output);
    if (output) answer.output = page_of(*output, caller.server.clock().wall());
  }
  co_return answer;
}

namespace {

// Returns how the request is called in commands, by an id that no other session can take.
std::string reference_of(const TopAction& action) {
  return action.session.text() + "#" + std::to_string(action.ask);
}

Asking<TopDone> answer_request(const Caller& caller, const TopAction& action) {
  const std::string reference = reference_of(action);
  const workers::ApproveArguments approved{reference, workers::ApprovalFor::this_call, {}};
  const workers::DenyArguments denied{reference, action.text};
  const workers::AnswerArguments answered{reference, action.text};
  auto answering = action.act == TopAct::approve ? workers::approve(caller, approved)
                   : action.act == TopAct::deny  ? workers::deny(caller, denied)
                                                 : workers::answer(caller, answered);
  auto done = co_await std::move(answering);
  if (!done) co_return tl::unexpected(done.error());
  std::string said = workers::text_of(*done, workers::Reader::person);
  co_return TopDone{std::move(said)};
}

Asking<TopDone> act_on(const Caller& caller, const Config& config, const TopAction& action,
                       const SessionRow& row) {
  if (action.act == TopAct::send) {
    const auto ok = workers::check_prompt(action.text);
    if (!ok) co_return tl::unexpected(ok.error());
  }
  domain::SendPrompt prompt = said_prompt(config, caller, action.text);
  const base::CommandId id = caller.server.fresh_id();
  auto doing = action.act == TopAct::send        ? send_prompt(caller, id, row, prompt)
               : action.act == TopAct::interrupt ? interrupt_turn(caller, row)
               : action.act == TopAct::go_on     ? go_on(caller, row)
               : action.act == TopAct::dismiss   ? dismiss_need(caller, row)
                                                 : kill_now(caller, row);
  auto done = co_await std::move(doing);
  if (!done) co_return tl::unexpected(done.error());
  std::string said = std::move(done->line);
  if (action.act == TopAct::kill) said += " " + row.alias + " " + row.name;
  co_return TopDone{std::move(said)};
}

}  // namespace

Asking<TopDone> carry_out(const Caller& caller, const Config& config, TopAction action,
                          SessionRow row) {
  TopDone done;
  switch (action.act) {
    case TopAct::show_output: {
      const auto output = co_await ask_output(caller, row.agent, row.session);
      if (!output) co_return tl::unexpected(output.error());
      done.output = page_of(*output, caller.server.clock().wall());
      co_return done;
    }
    case TopAct::show_requests:
    case TopAct::show_requests_to_deny: {
      const std::string reference = row.session.text();
      auto page = co_await workers::find_asks(caller, reference);
      if (!page) co_return tl::unexpected(page.error());
      done.requests = std::move(page->asks);
      co_return done;
    }
    case TopAct::approve:
    case TopAct::deny:
    case TopAct::answer: {
      auto answered = co_await answer_request(caller, action);
      co_return answered;
    }
    default: {
      auto acted = co_await act_on(caller, config, action, row);
      co_return acted;
    }
  }
}

}  // namespace steno
