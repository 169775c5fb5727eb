// Asks with `show` and `list`, page by page.
#include "workers/operations/finding.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "workers/operations/conversing.hpp"
#include "workers/text/composed_text.hpp"

namespace workers {
namespace {

// Sessions whose prompts one list asks for, so that it leaves the server to others, too.
constexpr std::size_t kAskedAtOnce = 16;

}  // namespace

Task<Outcome<ShowAnswer>> find_named_session(const Caller& caller, const std::string& reference,
                                             bool with_texts) {
  QueryBody query;
  query.agent = caller.agent;
  query.reference = reference;
  query.wants_texts = with_texts;
  if (reference == "@self" || reference == "@parent") {
    if (caller.self.empty()) {
      co_return refuse(OperationError::usage,
                       reference +
                           " is known only to the agent of a session, by its variable "
                           "STENO_SESSION; name the session");
    }
    query.reference = caller.self;
  }
  if (reference == "@parent") {
    auto own = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
    if (!own) co_return own;
    const base::SessionId parent = own->session.descriptor.parent;
    if (!parent.is_set()) {
      co_return refuse(OperationError::not_found,
                       "session " + own->session.alias + " has no parent");
    }
    query.reference = parent.text();
  }
  auto shown = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
  if (shown || shown.error().error != OperationError::not_found) co_return shown;
  // A name is kept composed, and a Mac's file names are not.
  const std::string composed = composed_text(query.reference);
  if (composed == query.reference) co_return shown;
  query.reference = composed;
  shown = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
  co_return shown;
}

Task<Outcome<ShowAnswer>> find_session(const Caller& caller, const std::string& reference,
                                       bool with_texts) {
  auto found = co_await find_named_session(caller, reference, with_texts);
  const bool is_missing = !found && found.error().error == OperationError::not_found;
  if (!is_missing || reference.starts_with('@')) co_return found;
  const auto key = named_conversation(caller, reference);
  // Another agent's session is not found by its alias, either.
  if (!key || key->agent != caller.agent) co_return found;
  const auto conversation = co_await find_conversation(caller, *key);
  if (!conversation) co_return found;
  if (!conversation->session.is_set()) {
    co_return refuse(OperationError::not_found, key->key + " has no session now");
  }
  const std::string id = conversation->session.text();
  found = co_await find_named_session(caller, id, with_texts);
  co_return found;
}

Task<Outcome<std::optional<ShowAnswer>>> own_session(const Caller& caller) {
  const base::SessionId self = session_of(caller);
  if (!self.is_set()) co_return std::nullopt;
  QueryBody query;
  query.agent = caller.agent;
  query.reference = self.text();
  auto shown = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
  if (shown) co_return std::move(*shown);
  if (shown.error().error != OperationError::not_found) {
    co_return tl::unexpected(shown.error());
  }
  // It can be of another agent than the one that the caller names. The newest come first.
  QueryBody all;
  for (bool has_more = true; has_more;) {
    const auto page = co_await caller.server.ask<ListAnswer>(kVerbList, all);
    if (!page) co_return tl::unexpected(page.error());
    for (const projections::SessionRow& row : page->sessions) {
      if (row.session != self) continue;
      query.agent = row.agent;
      shown = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
      if (!shown) co_return tl::unexpected(shown.error());
      co_return std::move(*shown);
    }
    all.before = page->before;
    has_more = page->has_more;
  }
  co_return std::nullopt;
}

Task<Outcome<std::string>> first_prompt(const Caller& caller, const std::string& agent,
                                        base::SessionId session) {
  QueryBody query;
  query.agent = agent;
  query.reference = session.text();
  query.wants_texts = true;
  auto shown = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
  if (shown) co_return std::move(shown->prompt);
  if (shown.error().error == OperationError::not_found) co_return std::string();
  co_return tl::unexpected(shown.error());
}

Task<Outcome<SessionPage>> list_page(const Caller& caller, QueryBody query) {
  auto listed = co_await caller.server.ask<ListAnswer>(kVerbList, query);
  if (!listed) co_return tl::unexpected(listed.error());
  SessionPage page;
  page.as_of = caller.server.clock().wall();
  page.has_more = listed->has_more;
  page.before = listed->before;
  page.total = listed->total;
  auto& rows = listed->sessions;
  for (std::size_t begin = 0; begin < rows.size(); begin += kAskedAtOnce) {
    const std::size_t end = std::min(begin + kAskedAtOnce, rows.size());
    std::vector<Task<Outcome<std::string>>> asked;
    for (std::size_t i = begin; i < end; ++i) {
      asked.push_back(first_prompt(caller, rows[i].agent, rows[i].session));
    }
    auto together = all_of(std::move(asked));
    auto prompts = co_await std::move(together);
    for (std::size_t i = begin; i < end; ++i) {
      auto& prompt = prompts[i - begin];
      if (!prompt) co_return tl::unexpected(prompt.error());
      page.sessions.push_back({std::move(rows[i]), std::move(*prompt)});
    }
  }
  co_return page;
}

Task<Outcome<std::vector<projections::SessionRow>>> list_live(const Caller& caller,
                                                              const std::string& agent) {
  QueryBody query;
  query.agent = agent;
  query.statuses = {domain::SessionStatus::starting, domain::SessionStatus::running};
  std::vector<projections::SessionRow> live;
  for (bool has_more = true; has_more;) {
    auto page = co_await caller.server.ask<ListAnswer>(kVerbList, query);
    if (!page) co_return tl::unexpected(page.error());
    std::move(page->sessions.begin(), page->sessions.end(), std::back_inserter(live));
    query.before = page->before;
    has_more = page->has_more;
  }
  co_return live;
}

Task<Outcome<AttentionAnswer>> list_needing(const Caller& caller, const std::string& agent) {
  QueryBody query;
  query.agent = agent;
  AttentionAnswer all;
  do {
    auto page = co_await caller.server.ask<AttentionAnswer>(kVerbAttention, query);
    if (!page) co_return page;
    std::move(page->sessions.begin(), page->sessions.end(), std::back_inserter(all.sessions));
    all.position = page->position;
    all.lanes = std::move(page->lanes);
    all.has_more = page->has_more;
    query.after = all.after = page->after;
  } while (all.has_more);
  co_return all;
}

}  // namespace workers
