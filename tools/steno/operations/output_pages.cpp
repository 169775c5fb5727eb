// Counts blocks backwards where they do not fit one page.
#include "tools/steno/operations/output_pages.hpp"

namespace steno {
namespace {

Outcome<workers::OutputAnswer> ask_output(Connection& connection, const std::string& reference,
                                          workers::QueryBody query) {
  query.agent = connection.config().agent;
  query.reference = reference;
  return connection.ask<workers::OutputAnswer>(workers::kVerbOutput, query);
}

}  // namespace

Outcome<workers::OutputAnswer> next_output_page(Connection& connection,
                                                const std::string& reference,
                                                base::Position after) {
  workers::QueryBody query;
  query.limit = -1;
  query.after = after;
  return ask_output(connection, reference, query);
}

// Once the first wanted block is known it reads on from there, so that at most one page is held.
Outcome<workers::OutputAnswer> first_output_page(Connection& connection,
                                                 const std::string& reference,
                                                 std::int64_t blocks) {
  if (blocks < 0) return next_output_page(connection, reference, {});
  workers::QueryBody query;
  query.limit = blocks;
  auto page = ask_output(connection, reference, query);
  if (!page || !page->has_more) return page;
  while (page && page->has_more) {
    query.before = page->from;
    query.limit -= page->blocks;
    // Items before the first wanted block are not asked for.
    if (query.limit < 1) break;
    page = ask_output(connection, reference, query);
  }
  return page ? next_output_page(connection, reference, page->from.plus(-1)) : page;
}

}  // namespace steno
