// Counts blocks backwards where they do not fit one page.
#include "workers/operations/output_pages.hpp"

#include <utility>

#include "workers/operations/finding.hpp"

namespace workers {
namespace {

Task<Outcome<OutputAnswer>> ask_output(const Caller& caller, const std::string& reference,
                                       QueryBody query) {
  query.agent = caller.agent;
  query.reference = reference;
  auto page = co_await caller.server.ask<OutputAnswer>(kVerbOutput, query);
  if (page || page.error().error != OperationError::not_found) co_return page;
  const auto found = co_await find_session(caller, reference);
  if (!found) co_return page;
  query.reference = found->session.session.text();
  page = co_await caller.server.ask<OutputAnswer>(kVerbOutput, query);
  co_return page;
}

}  // namespace

Task<Outcome<OutputAnswer>> next_output_page(const Caller& caller, const std::string& reference,
                                             base::Position after, bool has_ends) {
  QueryBody query;
  query.limit = -1;
  query.after = after;
  query.is_transcript = has_ends;
  return ask_output(caller, reference, query);
}

Task<Outcome<OutputAnswer>> output_outline(const Caller& caller, const std::string& reference,
                                           base::Position after) {
  QueryBody query;
  query.limit = -1;
  query.after = after;
  query.is_outline = true;
  return ask_output(caller, reference, query);
}

// Once the first wanted block is known it reads on from there, so that at most one page is held.
Task<Outcome<OutputAnswer>> first_output_page(const Caller& caller, const std::string& reference,
                                              std::int64_t blocks, bool has_ends) {
  QueryBody query;
  query.limit = blocks < 0 ? -1 : blocks;
  query.is_transcript = blocks < 0 && has_ends;
  auto page = co_await ask_output(caller, reference, query);
  const bool is_all = page && !page->has_more && !has_ends;
  if (blocks < 0 || !page || is_all) co_return page;
  while (page && page->has_more) {
    query.before = page->from;
    query.limit -= page->blocks;
    // Items before the first wanted block are not asked for.
    if (query.limit < 1) break;
    page = co_await ask_output(caller, reference, query);
  }
  if (!page) co_return page;
  const base::Position before = page->from.plus(-1);
  page = co_await next_output_page(caller, reference, before, has_ends);
  co_return page;
}

}  // namespace workers
