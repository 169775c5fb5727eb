// The index finds the texts; the rows of session_list say what their sessions are called.
#include "workers/queries/search.hpp"

#include <map>

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

constexpr std::size_t kSearchHitsDefault = 20;

static_assert(static_cast<int>(SaidBy::user) == static_cast<int>(projections::Speaker::user));
static_assert(static_cast<int>(SaidBy::assistant) ==
              static_cast<int>(projections::Speaker::assistant));
static_assert(static_cast<int>(SaidBy::tool) == static_cast<int>(projections::Speaker::tool));

base::Result<projections::SearchRequest> request_of(const QueryBody& body) {
  auto groups = projections::parse_search(body.words);
  if (!groups) return tl::unexpected(groups.error());
  projections::SearchRequest request;
  request.groups = std::move(*groups);
  request.agent = body.agent;
  request.sessions = body.sessions;
  for (const SaidBy role : body.roles) {
    request.speakers.insert(static_cast<projections::Speaker>(role));
  }
  request.since = body.active_since;
  request.before = body.before;
  request.is_newest_first = body.order == SearchOrder::newest;
  const bool is_said = body.limit != 0;
  request.limit = is_said ? static_cast<std::size_t>(body.limit) : kSearchHitsDefault;
  return request;
}

// Feeds the index for a step, and looks into it once it has come to the durable head, or late.
base::Result<bool> find(projections::ContentSet& contents, Query& query, bool is_late) {
  const auto body = bus::from_body<QueryBody>(query.body);
  if (!body) return tl::unexpected(body.error());
  const auto request = request_of(*body);
  if (!request) return tl::unexpected(request.error());
  const auto has_more = contents.step(projections::kSearchIndexName, query.durable);
  const auto is_damage = [](const base::Error& error) {
    return error.code == base::ErrorCode::rows_damaged;
  };
  if (!has_more && !is_damage(has_more.error())) return tl::unexpected(has_more.error());
  if ((!has_more || *has_more) && !is_late) return false;
  auto found = projections::search_said(contents, *request);
  // The damaged one is gone, and the one that is built anew says how far it has come.
  if (!found && is_damage(found.error())) found = projections::search_said(contents, *request);
  if (!found) return tl::unexpected(found.error());
  if (found->indexed < query.durable && !is_late) return false;
  if (found->indexed < body->at_least) {
    return base::failure(base::ErrorCode::busy, "the search index has come to position " +
                                                    std::to_string(found->indexed.value) +
                                                    ", not yet to " +
                                                    std::to_string(body->at_least.value) +
                                                    " as was asked for; ask again in a moment");
  }
  query.found = std::move(*found);
  return true;
}

base::Result<SearchAnswer> search(const QuerySources& sources, const QueryBody&,
                                  const Query& query) {
  const projections::FoundTexts& found = *query.found;
  SearchAnswer answer{query.durable, found.indexed, {}, found.has_more, found.is_ranked_in_part};
  std::map<std::pair<std::string, base::SessionId>, projections::SessionRow> known;
  for (const projections::FoundText& text : found.texts) {
    const auto [row, is_new] = known.try_emplace({text.agent, text.session});
    if (is_new) {
      auto read = projections::get_session(sources.views, text.agent, text.session);
      if (!read) return tl::unexpected(read.error());
      if (*read) {
        row->second = std::move(**read);
        complete_row(sources, row->second);
      }
    }
    answer.hits.push_back({text.position, text.time, text.session, text.agent, row->second.alias,
                           row->second.name, static_cast<SaidBy>(text.by), text.tool,
                           text.snippet.text, text.snippet.marks});
  }
  return answer;
}

}  // namespace

const QueryKind kSearchQuery{kVerbSearch, QueryReads::rows, projections::SessionList::kName,
                             run_query<search>, find};

}  // namespace workers
